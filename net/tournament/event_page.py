"""The event as a page for the wall and for phones, and its standings as a table for other programs.

One file, no scripts, everything from outside escaped. On a wide picture pairings and standings stand side by side in
letters that follow its height, as on Kontor's big screen; on a narrow one below each other, made for a thumb. Nobody
scrolls a wall, so where there are many tables or players their letters become smaller until all of them are seen, as
long as they can be read. The page asks its reader's browser to read it again every half minute: whoever writes it anew
has changed the wall.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from kontor_games.net.archive.reports.html_parts import isolated, said
from kontor_games.net.archive.reports.report_files import inert

_STYLE = """
:root{color-scheme:light dark;--paper:#f3ead7;--sheet:#fbf6ea;--ink:#2a2018;--soft:#64543f;--line:#cbb894;
--wood:#7a4a26;--wood-ink:#fff6e4;--accent:#8c3a12;--good:#23683f;--bad:#a02312}@media(prefers-color-scheme:dark){
:root{--paper:#1c1813;--sheet:#272118;--ink:#f1e7d2;--soft:#c2b294;--line:#55482f;--wood:#5c3a20;--wood-ink:#fdf0d8;
--accent:#eda15b;--good:#7cc79a;--bad:#ff9c87}}*{box-sizing:border-box}body{margin:0;background:var(--paper);
color:var(--ink);font:16px/1.4 system-ui,sans-serif}header{background:var(--wood);color:var(--wood-ink);
padding:.7em 1em}h1{font-size:1.5em;margin:0}header p{margin:.1em 0 0}main{padding:.8em}h2{font-size:1.2em;
margin:.2em 0 .5em}h3{font-size:1em;margin:1.2em 0 .4em;color:var(--soft)}.tables{display:grid;gap:.7em;
grid-template-columns:repeat(auto-fill,minmax(14em,1fr));padding:0;margin:0;list-style:none}.table{
background:var(--sheet);border:1px solid var(--line);border-radius:.5em;padding:.5em .7em}.table h4{margin:0 0 .25em;
font-size:1em;display:flex;justify-content:space-between;gap:1em}.table ol{margin:0;padding:0;list-style:none}
.table li{display:flex;gap:.5em;padding:.1em 0}.table li bdi{flex:1;min-width:0;overflow:hidden;
text-overflow:ellipsis;white-space:nowrap}.seat,.soft,.state{color:var(--soft);font-weight:400}.state.signed{
color:var(--good)}.state.unfinished{color:var(--bad)}.first bdi{font-weight:700}.wide{overflow-x:auto;
background:var(--sheet);border:1px solid var(--line);border-radius:.5em}table{border-collapse:collapse;width:100%}
th,td{padding:.3em .55em;text-align:right;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums;
white-space:nowrap}tr:last-child td{border-bottom:0}th{font-weight:600;color:var(--soft)}td.name,th.name{
text-align:left;width:100%;max-width:0;min-width:7.5em;overflow:hidden;text-overflow:ellipsis}td.points{
font-weight:700}tr.gone td{color:var(--soft)}.byes{margin:.6em 0 0}footer{padding:.4em 1em 1.2em;color:var(--soft);
font-size:.85em;overflow-wrap:anywhere}dl{display:grid;grid-template-columns:auto 1fr;gap:.15em .8em;margin:.3em 0}dd{
margin:0}
@media(min-width:1000px){.all{grid-column:1/-1}body{font-size:max(16px,2.1vh)}
main{display:grid;grid-template-columns:1fr 1fr;gap:1.6em;padding:1em 1.4em}
.fit{font-size:clamp(13px,calc((100vh - 9.6em)/var(--lines)),1em)}
header{padding:.6em 1.4em}footer{padding:.2em 1.65em 1em}}@media(max-width:999px){.more{
display:none}section+section{margin-top:1.4em}}
"""
_STATES = {"signed": "done", "unsigned": "done, not signed by all", "unfinished": "unfinished", None: "being played"}
TIES = {"opponents": "opponents", "wins": "wins", "seconds": "seconds", "share": "share", "lot": "lot"}
HOW = {
    "unfinished": "unfinished",
    "missing": "no file",
    "pending": "…",
    "bye": "bye",
    "late": "late",
    "absent": "–",
    "left": "left",
}


def event_page(event: Mapping[str, Any]) -> Iterator[str]:
    """The page in pieces."""
    settings = event["settings"]
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
    refresh = "" if event["is_over"] else '<meta http-equiv="refresh" content="30">'
    yield (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{said(settings["name"])}</title>{refresh}'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_STYLE}</style></head><body>\n'
    )
    yield f"<header><h1>{isolated(settings['name'])}</h1><p>{said(where_it_is(event))}</p></header>\n<main>\n"
    parts = (_standings, _round) if event["is_over"] else (_round, _standings)  # what a phone shows first
    for part in parts if event["rounds"] else (_players,):
        yield from part(event)
    yield from _earlier(event)
    yield "</main>\n"
    yield from _foot(event)
    yield "</body></html>\n"


def where_it_is(event: Mapping[str, Any]) -> str:
    """«Osaka, Swiss, round 2 of 5: 3 of 6 tables have a result»."""
    settings, rounds = event["settings"], event["rounds"]
    how = {"swiss": "Swiss", "robin": "round robin"}[settings["method"]]
    head = f"{event['title']}, {how}"
    if not rounds:
        return f"{head}, {settings['rounds']} rounds, {len(event['players'])} players; not begun"
    if event["is_over"]:
        return f"{head}, final standings after {len(rounds)} rounds"
    tables = len(rounds[-1]["tables"])
    done = tables - len(event["missing"])
    return f"{head}, round {len(rounds)} of {settings['rounds']}: {done} of {tables} tables have a result"


def _players(event: Mapping[str, Any]) -> Iterator[str]:
    """Who will play, while nobody has scored anything."""
    names = [isolated(each["name"]) for each in event["players"]]
    yield f'<section class="all"><h2>Players</h2><ul class="tables fit" style="--lines:{len(names) * 0.5:.1f}">'
    yield "".join(f"<li class=table>{name}</li>" for name in names)
    yield "</ul></section>\n"


def _round(event: Mapping[str, Any]) -> Iterator[str]:
    """The round under way, or the last one."""
    yield "<section>"
    yield from _tables(event["rounds"][-1], "h2", not event["is_over"])
    yield "</section>\n"


def _earlier(event: Mapping[str, Any]) -> Iterator[str]:
    """The rounds before, the last first; below everything that people look for."""
    if len(event["rounds"]) > 1:
        yield '<section class="all">'
        for drawn in reversed(event["rounds"][:-1]):
            yield from _tables(drawn, "h3", False)
        yield "</section>\n"


def _tables(drawn: Mapping[str, Any], title: str, is_open: bool) -> Iterator[str]:
    high = -(-len(drawn["tables"]) // 2) * (1.75 * max((len(each["seats"]) for each in drawn["tables"]), default=0) + 3)
    yield f'<{title}>Round {drawn["number"]}</{title}><ul class="tables fit" style="--lines:{high:.1f}">\n'
    for table in drawn["tables"]:
        kind = table["finish"] or ""
        state = _STATES[table["finish"]] if kind or is_open else "no file was handed in"
        yield f'<li class=table><h4>Table {table["table"]} <span class="state {kind}">{state}</span></h4><ol>'
        yield "".join(_seat(number, seat) for number, seat in enumerate(table["seats"], 1))
        yield "</ol></li>\n"
    yield "</ul>"
    if drawn["byes"]:
        yield f'<p class="byes">Bye: {", ".join(map(isolated, drawn["byes"]))}</p>'


def _seat(number: int, seat: Mapping[str, Any]) -> str:
    first = ' class="first"' if seat["place"] == 1 else ""
    told = "left" if seat["left"] else "" if seat["place"] is None else f"{seat['place']}."
    score = "" if seat["score"] is None else f' <span class="soft">{seat["score"]}</span>'
    return f'<li{first}><span class="seat">{number}</span> {isolated(seat["name"])}{score} <span>{told}</span></li>'


def _standings(event: Mapping[str, Any]) -> Iterator[str]:
    title = "Final standings" if event["is_over"] else "Standings"
    high = 2.05 * (len(event["standings"]) + 1)
    yield f'<section><h2>{title}</h2><div class="wide fit" style="--lines:{high:.1f}"><table><thead><tr>'
    yield '<th></th><th class="name">player</th><th>points</th>'
    yield "".join(f'<th class="more">{said(TIES[kind])}</th>' for kind in event["tie_breaks"] if kind != "lot")
    yield "".join(f"<th>{each['number']}</th>" for each in event["rounds"])
    yield "</tr></thead><tbody>\n"
    for row in event["standings"]:
        gone = "" if row["is_here"] else ' class="gone"'
        yield f'<tr{gone}><td>{row["rank"]}</td><td class="name">{isolated(row["name"])}</td>'
        yield f'<td class="points">{row["points"]}</td>'
        shown = zip(event["tie_breaks"], row["ties"], strict=True)
        yield "".join(f'<td class="more">{said(value)}</td>' for kind, value in shown if kind != "lot")
        yield "".join(f"<td>{said(_told(each))}</td>" for each in row["rounds"])
        yield "</tr>\n"
    yield "</tbody></table></div></section>\n"


def _told(each: Mapping[str, Any]) -> str:
    return str(each["points"]) if each["how"] == "played" else HOW[each["how"]]


def declared(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was declared, for people."""
    pairs = zip(settings["sizes"], settings["points"], strict=True)
    points = "; ".join(f"table of {size}: {', '.join(map(str, each))}" for size, each in pairs)
    unsigned = "its places count" if settings["unsigned"] == "places" else "as unfinished"
    left = "nothing" if settings["left"] == "nothing" else "the place of their stand-in"
    return [
        ("points by place", f"{points}; shared places share"),
        ("bye", str(settings["bye"])),
        ("each round before arriving", str(settings["late"])),
        ("no file handed in", f"{settings['missing']} for everybody at the table"),
        ("unfinished match", f"{settings['unfinished']} for everybody at the table"),
        ("over, not signed by all", unsigned),
        ("left before the end", left),
        ("tie-breaks", ", ".join(settings["tie_breaks"]) or "none: ranks are shared"),
        ("seed of all lots", settings["seed"]),
    ]


def _foot(event: Mapping[str, Any]) -> Iterator[str]:
    settings = event["settings"]
    yield "<footer><details><summary>What was declared, and how to check this</summary><dl>"
    yield "".join(f"<dt>{said(name)}</dt><dd>{said(text)}</dd>" for name, text in declared(settings))
    yield "</dl></details>"
    tip, key = said(event["tip"][:16]), said(settings["organiser"][:16])
    yield f"<p>Record {event['records'] - 1}, {tip}. Organiser's key {key}. "
    yield "Whoever has the event's folder can check all of this: "
    yield "<code>kontor tournament check FOLDER</code></p></footer>\n"


def standings_csv(event: Mapping[str, Any]) -> Iterator[str]:
    """The standings as a table: one row for each player."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    rounds = [f"round_{each['number']}" for each in event["rounds"]]
    table.writerow(["rank", "name", "key", "points", *event["tie_breaks"], *rounds, "takes_part"])
    for row in event["standings"]:
        told = [
            f"{each['points']}" if each["how"] == "played" else f"{each['points']} {each['how']}"
            for each in row["rounds"]
        ]
        cells = [row["rank"], row["name"], row["key"], row["points"], *row["ties"], *told, row["is_here"]]
        table.writerow([inert(cell) for cell in cells])
    yield out.getvalue()
