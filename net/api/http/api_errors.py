"""What the API answers when it does not do what was asked."""

from __future__ import annotations

from typing import Any

from kontor_games.engine import Reason
from kontor_games.engine.errors import ConfigError, KontorError, StoreError


class ApiError(KontorError):
    """A refusal: HTTP status, a word for programs, a sentence for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def bad_request(message: str) -> ApiError:
    """The request cannot be understood."""
    return ApiError(400, "bad-request", message)


def unauthorised() -> ApiError:
    """No token, or one that is not ours; which of them is nobody's business."""
    return ApiError(401, "unauthorised", "this needs the token of this node: open the one-time link again (kontor)")


def forbidden(message: str) -> ApiError:
    """Understood, but not for this client."""
    return ApiError(403, "forbidden", message)


def not_found(what: str) -> ApiError:
    """There is no such thing here."""
    return ApiError(404, "not-found", f"there is no {what} here")


def refused(message: str) -> ApiError:
    """The rules or the moment do not allow it."""
    return ApiError(409, "refused", message)


def refusal_of(error: BaseException | None) -> ApiError | None:
    """An error as the answer that clients get; None for one that nobody foresaw."""
    match error:
        case ApiError():
            return error
        case ConfigError():
            return bad_request(message_of(error))
        case StoreError():
            return ApiError(500, "store", str(error))
        case KontorError():
            return refused(message_of(error))
    return None


def message_of(error: KontorError) -> str:
    """The sentence of an error; a `Reason` if it was refused with one."""
    return error.args[0] if error.args and isinstance(error.args[0], Reason) else str(error)


def facts_of(message: str) -> dict[str, Any]:
    """Id and values of a refusal that has them, for clients that make the sentence themselves."""
    return {"id": message.id, "values": message.values} if isinstance(message, Reason) else {}
