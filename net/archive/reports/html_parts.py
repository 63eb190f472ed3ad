"""Pieces of pages that stand alone: one file, no outside scripts, styles or pictures, everything from outside escaped.

The policy in the head lets nothing run but the one script below, so that a name or a path cannot bring its own.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from typing import Any

_STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--paper:#fbfaf7;--line:#d9d5cb;--card:#fff;--good:#1d6b3a;
--bad:#a3211b;--odd:#8a5a00;--bar:#3b6ea5}
@media(prefers-color-scheme:dark){:root{--ink:#e8e6e0;--soft:#a2a9b4;--paper:#15181d;--line:#343a44;--card:#1d2128;
--good:#7cc896;--bad:#ff9d94;--odd:#e8bd68;--bar:#7fb0e6}}
*{box-sizing:border-box}body{margin:0 auto;max-width:1500px;padding:1.5rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}h1{font-size:1.6rem;margin:0 0 .3rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
p{margin:.4rem 0;max-width:60rem}.soft{color:var(--soft)}.tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.5rem .9rem;min-width:7rem}
.tile b{display:block;font-size:1.4rem;font-variant-numeric:tabular-nums}.wide{overflow:auto;
max-height:85vh;border:1px solid var(--line);border-radius:8px;background:var(--card)}
table{border-collapse:collapse;width:100%;min-width:44rem}th,td{text-align:left;
padding:.35rem .7rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere;min-width:7.5rem}
tr:last-child td{border-bottom:0}th{position:sticky;top:0;background:var(--card);white-space:nowrap}th button{all:unset;
cursor:pointer;font-weight:600;padding:.2rem 0}th button:focus-visible{outline:2px solid var(--bar)}
th[aria-sort=ascending] button:after{content:" \\25b2"}th[aria-sort=descending] button:after{content:" \\25bc"}
th.number,td.number{text-align:right}td.number{font-variant-numeric:tabular-nums}.verified{color:var(--good)}.refuted,.unreadable,
.contradicting{color:var(--bad)}.judge,.judged{color:var(--odd)}input{font:inherit;padding:.35rem .6rem;width:min(30rem,
100%);border:1px solid var(--line);border-radius:6px;background:var(--card);color:inherit;margin:.3rem 0 .6rem}
svg{width:100%;max-width:30rem;height:auto;overflow:visible}svg text{fill:var(--ink);font:12px system-ui,sans-serif}
code{font-size:.9em}.plots{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}
.plot{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6rem .9rem;max-width:100%}
.plot h3{font-size:1rem;margin:0 0 .3rem}
@media(max-width:500px){.few{min-width:0;font-size:14px}.few th,.few td{min-width:5.6rem;padding:.35rem .4rem}
.few th{white-space:normal;overflow-wrap:normal}
body{padding:.8rem}.tile{min-width:5.5rem;padding:.4rem .6rem}}
"""
_SCRIPT = """
for (const table of document.querySelectorAll("table.sort")) {
  const body = table.tBodies[0];
  table.querySelectorAll("th").forEach((head, column) =>
    head.classList.toggle("number", body.rows[0]?.cells[column]?.className === "number"));
  table.querySelectorAll("th button").forEach((button, column) => button.addEventListener("click", () => {
    const head = button.parentElement, up = head.getAttribute("aria-sort") !== "ascending";
    for (const each of table.querySelectorAll("th")) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = Array.from(body.rows, (row) => [row, row.cells[column].textContent]);
    const numbers = rows.every(([row]) => row.cells[column].className === "number");
    const compare = new Intl.Collator(undefined, { numeric: true }).compare;
    rows.sort(([, a], [, b]) => (numbers ? parseFloat(a.replace(/,/g, "")) - parseFloat(b.replace(/,/g, "")) :
      compare(a, b)) * (up ? 1 : -1));
    body.remove();
    body.replaceChildren();
    for (const [row] of rows) body.appendChild(row);
    table.append(body);
  }));
  const filter = table.closest("section").querySelector("input");
  if (filter) filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(words);
  });
}
"""
FEW = 5  # columns: fewer are squeezed on a phone, as many and more are pushed sideways
_REPLACED = "\N{REPLACEMENT CHARACTER}"
_HASH = b64encode(sha256(_SCRIPT.encode()).digest()).decode()


def head(title: str) -> str:
    """The beginning of a page."""
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_HASH}'; base-uri 'none'"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{said(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_STYLE}</style></head><body>\n'
    )


def foot() -> str:
    """The end of a page."""
    return f"<script>{_SCRIPT}</script></body></html>\n"


def said(words: object) -> str:
    """Text from anywhere, as text: no tag, no control character, no turn of the reading direction that goes on."""
    return escape("".join(letter if letter.isprintable() else _REPLACED for letter in str(words)))


def isolated(words: object) -> str:
    """The same between marks that keep its reading direction to itself."""
    return f"<bdi>{said(words)}</bdi>"


def tiles(numbers: Iterable[tuple[int, str]]) -> str:
    """Figures side by side."""
    each = (f'<div class="tile"><b>{number:,}</b>{said(name)}</div>' for number, name in numbers)
    return f'<div class="tiles">{"".join(each)}</div>\n'


def table(
    title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]], note: str = "", seek: bool = False
) -> Iterator[str]:
    """A section with a table that can be sorted; a cell is text, a number, or a pair of text and class."""
    yield f"<section><h2>{said(title)}</h2>\n"
    if note:
        yield f'<p class="soft">{said(note)}</p>\n'
    if seek:
        yield '<input type="search" placeholder="Show only rows with these words" aria-label="Filter rows">\n'
    kind = "sort few" if len(heads) < FEW else "sort"
    yield f'<div class="wide"><table class="{kind}"><thead><tr>'
    yield "".join(f'<th scope="col"><button type="button">{said(each)}</button></th>' for each in heads)
    yield "</tr></thead><tbody>\n"
    for row in rows:
        yield f"<tr>{''.join(map(_cell, row))}</tr>\n"
    yield "</tbody></table></div></section>\n"


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return f'<td class="{said(value[1])}">{isolated(value[0])}</td>'
    if isinstance(value, int | float):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{isolated(value)}</td>"
