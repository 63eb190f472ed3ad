"""Statistics of an archive as a page: tables, and plots as SVG in the page itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from .html_parts import foot, head, said, table, tiles

_BARS = 24  # of a histogram
_WIDTH, _HEIGHT = 365, 190
T = TypeVar("T")


def stats_page(stats: Mapping[str, Any], titles: Mapping[str, str]) -> Iterator[str]:
    """The page in pieces."""
    games = stats["games"]
    yield head("Statistics of a match archive")
    yield "<h1>Statistics of a match archive</h1>\n"
    yield '<p class="soft">Verified files only; a match counts once, however many copies there are.</p>\n'
    yield tiles(
        [
            (sum(game["matches"] for game in games.values()), "matches"),
            (len(games), "games"),
            (len(stats["people"]), "players"),
            (stats["left_out"], "matches left out: told in two ways"),
        ]
    )
    for name, game in games.items():
        yield from _game(titles.get(name, name), game)
    note = "Shared victories are shared. A player of a local match has no key: the name is all that is known."
    rows = (
        (each["name"], each["key"][:16], each["finished"], each["won"], each["left"]) for each in stats["people"][:5000]
    )
    yield from table("Players", ("name", "key", "finished matches", "victories", "left early"), rows, note, seek=True)
    yield foot()


def _game(title: str, game: Mapping[str, Any]) -> Iterator[str]:
    yield f"<section><h2>{said(title)}</h2>\n<p>{said(_sentence(game))}</p>\n"
    if game["finished"]:
        yield '<div class="plots">'
        yield _plot("Points of all players", histogram, game["scores"])
        yield _plot("Length in plies", histogram, game["plies"])
        seats = [(f"{each['seat'] + 1} of {each['players']}", _share(each), _fair(each)) for each in game["seats"]]
        yield _plot("Victories by seat (line: fair share)", bars, seats)
        yield "</div>"
    yield "</section>\n"
    if game["choices"]:
        rows = [
            (each["choice"], each["made"], round(100 * each["by_winners"] / each["made"])) for each in game["choices"]
        ]
        heads = ("choice", "made", "by winners, in percent")
        note = f"As the notation of the game writes them. Winners made {_by_winners(game):.0%} of them all."
        yield from table(f"{title}: choices", heads, rows, note)


def _by_winners(game: Mapping[str, Any]) -> float:
    """What the shares of single choices are to be compared with."""
    made = sum(each["made"] for each in game["choices"])
    return float(sum(each["by_winners"] for each in game["choices"]) / made)


def _sentence(game: Mapping[str, Any]) -> str:
    endings = ", ".join(f"{count} by «{name.replace('_', ' ')}»" for name, count in game["endings"].items())
    players = ", ".join(f"{count} with {size} players" for size, count in game["players"].items())
    matches = "1 match" if game["matches"] == 1 else f"{game['matches']:,} matches"
    text = f"{matches} ({players}), {game['finished']:,} finished"
    text += f": {endings}." if endings else "."
    return text + (f" Stand-ins played in {game['stand_ins']}." if game["stand_ins"] else "")


def _share(seat: Mapping[str, Any]) -> float:
    return float(seat["won"] / seat["played"])


def _fair(seat: Mapping[str, Any]) -> float:
    return 1 / float(seat["players"])


def _plot(title: str, draw: Callable[[str, T], str], figures: T) -> str:
    return f'<div class="plot"><h3>{said(title)}</h3>{draw(title, figures)}</div>\n'


def histogram(title: str, spread: Mapping[str, Any]) -> str:
    """How often each value was; neighbours stand together where there are many."""
    values = {int(value): count for value, count in spread["values"].items()}
    least, most = min(values), max(values)
    step = max(1, -(-(most - least + 1) // _BARS))
    counts = [0] * ((most - least) // step + 1)
    for value, count in values.items():
        counts[(value - least) // step] += count
    firsts = range(least, most + 1, step)
    told = [
        f"{first if step == 1 else f'{first} to {min(first + step - 1, most)}'}: {count}"
        for first, count in zip(firsts, counts, strict=True)
    ]
    top = max(counts)
    inner = [_bar(place, len(counts), count / top, told[place]) for place, count in enumerate(counts)]
    return _svg(title, told, inner, [str(first) for first in firsts], f"{top:,}")


def bars(title: str, rows: Sequence[tuple[str, float, float]]) -> str:
    """Shares of one, each with a line for what would be fair."""
    told = [f"{name}: {share:.0%}" for name, share, _ in rows]
    inner = []
    for place, (_, share, fair) in enumerate(rows):
        inner.append(_bar(place, len(rows), share, told[place]))
        x, width = _where(place, len(rows))
        y = 10 + (_HEIGHT - 40) * (1 - fair)
        inner.append(f'<path d="M{x:.1f} {y:.1f}h{width:.1f}" stroke="var(--bad)" stroke-width="2" fill="none"/>')
    return _svg(title, told, inner, [name for name, _, _ in rows], "100 %")


def _where(place: int, count: int) -> tuple[float, float]:
    slot = min((_WIDTH - 50) / count, 60)
    return 45 + place * slot, max(slot - 2, 1)


def _bar(place: int, count: int, share: float, title: str) -> str:
    x, width = _where(place, count)
    height = (_HEIGHT - 40) * share
    return (
        f'<rect x="{x:.1f}" y="{_HEIGHT - 30 - height:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'fill="var(--bar)"><title>{said(title)}</title></rect>'
    )


def _svg(title: str, told: Sequence[str], inner: Sequence[str], names: Sequence[str], top: str) -> str:
    """The plot; whoever cannot see it is told all of it."""
    every = max(1, -(-len(names) // 8))
    labels = [
        f'<text x="{x + width / 2:.1f}" y="{_HEIGHT - 12}" text-anchor="middle">{said(name)}</text>'
        for place, name in enumerate(names)
        for x, width in [_where(place, len(names))]
        if place % every == 0
    ]
    frame = f'<path d="M44 10V{_HEIGHT - 30}H{_WIDTH - 4}" stroke="var(--line)" fill="none"/>'
    least = f'<text x="40" y="{_HEIGHT - 30}" text-anchor="end">0</text>'
    scale = f'<text x="40" y="18" text-anchor="end">{said(top)}</text>{least}'
    body = "".join((frame, scale, *inner, *labels))
    label = said(f"{title}. {', '.join(told)}")
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" aria-label="{label}">{body}</svg>'
