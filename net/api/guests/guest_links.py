"""Links of invitations, and the pictures of them that a phone's camera reads."""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import Any

import segno

from .guest_book import Invitation


def link_data(url: str, invitation: Invitation) -> dict[str, Any]:
    """An open link for the owner and for big screens. The secret is in the fragment, which browsers never send."""
    page = "screen" if invitation.kind == "screen" else ""
    secret = base64.urlsafe_b64encode(invitation.secret).rstrip(b"=").decode("ascii")
    link = f"{url}{page}#{secret}"
    return {"kind": invitation.kind, "seat": invitation.seat, "url": link, "qr": qr_code(link)}


@lru_cache(maxsize=64)
def qr_code(text: str) -> str:
    """A QR code as the address of a picture."""
    return segno.make(text, error="m", micro=False).svg_data_uri(scale=4, border=4, light="#fff", dark="#000")
