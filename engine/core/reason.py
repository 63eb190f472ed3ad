"""Why something is not allowed: a sentence that also carries its id and its values.

The sentence is plain English and is all that sessions and verifiers use. Clients that speak another language look up
the id and fill in the values.
"""

from __future__ import annotations

Value = int | str | tuple[int | str, ...]


class Reason(str):
    """A sentence made from a template; equal to the plain text."""

    __slots__ = ("id", "values")

    id: str
    values: dict[str, Value]

    def __new__(cls, id: str, template: str, **values: Value) -> Reason:
        self = super().__new__(cls, template.format(**values) if values else template)
        self.id = id
        self.values = values
        return self

    def worded(self, text: str) -> Reason:
        """The same reason in other words."""
        other = Reason(self.id, text)
        other.values = self.values
        return other
