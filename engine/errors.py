"""The tree of errors that Kontor raises on purpose."""


class KontorError(Exception):
    """Something that a caller may catch and show; its text is meant for people."""


class IllegalAction(KontorError):
    """A well-formed action that the rules forbid in this state."""


class MalformedAction(KontorError):
    """Bytes or text that are not an action of the game at all."""


class ProtocolError(KontorError):
    """The conversation went wrong."""


class LocalError(ProtocolError):
    """Our own program used a machine wrongly: a defect."""


class RemoteError(ProtocolError):
    """The other side sent what it may not; ends that link, never the node."""


class IdentityError(KontorError):
    """A key file is missing, damaged or does not belong here."""


class StoreError(KontorError):
    """A file or database cannot be read or written."""


class ConfigError(KontorError):
    """Options or settings that do not fit."""
