"""Links of invitations, and the pictures of them that a phone's camera reads."""

from __future__ import annotations

import base64
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import Any, Final

import segno

from .guest_book import Invitation

KINDS: Final = ("seat", "watch", "screen")  # the order in which links are shown


def links_data(url: str, invitations: Iterable[Invitation], own: Container[int]) -> list[dict[str, Any]]:
    """The open links for the owner and for big screens, seats first, and the owner's own after those of others."""

    def place(link: dict[str, Any]) -> tuple[int, bool, int]:
        seat = link["seat"]
        return KINDS.index(link["kind"]), seat in own, seat or 0

    return sorted((_link_data(url, each) for each in invitations), key=place)


def _link_data(url: str, invitation: Invitation) -> dict[str, Any]:
    """One of them. The secret is in the fragment, which browsers never send."""
    page = "screen" if invitation.kind == "screen" else ""
    secret = base64.urlsafe_b64encode(invitation.secret).rstrip(b"=").decode("ascii")
    link = f"{url}{page}#{secret}"
    return {"kind": invitation.kind, "seat": invitation.seat, "url": link, "qr": qr_code(link)}


@lru_cache(maxsize=64)
def qr_code(text: str) -> str:
    """A QR code as the address of a picture."""
    return segno.make(text, error="m", micro=False).svg_data_uri(scale=4, border=4, light="#fff", dark="#000")
