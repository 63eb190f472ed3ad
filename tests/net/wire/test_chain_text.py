"""Bad UTF-8 inside a message is malformed like everything else."""

from __future__ import annotations

import pytest

from kontor_games.engine.errors import RemoteError
from kontor_games.net.wire import chain


@pytest.mark.parametrize("cls", [chain.Frame, chain.DealerMessage, chain.Mark, chain.Chat])
def test_bad_text_is_refused_as_malformed(cls: type) -> None:
    for raw in (b"\x81\xa2\xff\xfe\x01", b"\x81\xa1t\xa2\xff\xfe"):
        with pytest.raises(RemoteError):
            chain.decode(cls, raw)
