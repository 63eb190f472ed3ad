"""The renderer: a page follows its description, and what a person has in hand stays: focus, words, choices, scroll."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from kontor_games.clients.node.node_link import NodeLink
from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import ask, new_match, sign_in
from .together import PATIENCE, nodes_at, write

pytestmark = pytest.mark.browser

# Runs a script with the renderer at hand and an empty element in the page to paint into.
STAGE = """
const done = arguments[arguments.length - 1];
import('/draw.js').then(async ({ h, s, paint, settle, Drawn }) => {
  const root = document.createElement('div');
  document.body.append(root);
  const show = (...parts) => { paint(root, parts); return root; };
  const rows = (...keys) => show(h('ul', {}, keys.map((key) => h('li', { key }, h('button', {}, key)))));
  const texts = () => [...root.querySelectorAll('li')].map((row) => row.textContent).join(' ');
  try { done((() => { %s })()); } catch (error) { done(`${error} ${error.stack}`); } finally { root.remove(); }
});
"""


@pytest.fixture(scope="module")
def stage(node: NodeProcess, _window: Browser) -> Browser:
    """A window that has the client's own origin and policy."""
    sign_in(_window, node)
    return _window


def run(stage: Browser, script: str) -> Any:
    return stage.run_async(STAGE.replace("%s", script))


def test_words_selection_focus_and_what_was_unfolded_outlast_a_painting(stage: Browser) -> None:
    found = run(
        stage,
        """
        const page = (n) => show(h('p', {}, n), h('details', {}, h('summary', {}, n), 'more'),
          h('label', { class: `c${n}` }, n, h('input', { type: 'text', value: `given ${n}` })),
          n > 1 && h('p', {}, 'new'));
        page(1);
        const input = root.querySelector('input'), details = root.querySelector('details');
        input.focus(); input.value = 'half a line'; input.setSelectionRange(2, 6); details.open = true;
        page(2);
        return [root.querySelector('input') === input, input.value, input.selectionStart, input.selectionEnd,
          document.activeElement === input, details.open, root.textContent];
        """,
    )
    assert found == [True, "half a line", 2, 6, True, True, "22more2new"]


def test_a_listener_is_the_newest_one_and_goes_with_its_description(stage: Browser) -> None:
    assert (
        run(
            stage,
            """
        const heard = [];
        const button = (name) => show(h('button', name ? { click: () => heard.push(name) } : {}, 'same words'));
        for (const name of ['first', 'second', '']) { button(name); root.firstChild.click(); }
        button('third'); root.firstChild.click();
        return heard.join();
        """,
        )
        == "first,second,third"
    )


def test_rows_with_a_key_keep_their_elements_wherever_they_go(stage: Browser) -> None:
    assert (
        run(
            stage,
            """
        rows('a', 'b', 'c');
        const b = root.querySelectorAll('button')[1];
        b.focus();
        const out = [];
        for (const order of ['xabc', 'cba', 'bx', 'qbqx', 'b', 'yzb', 'bzy']) {
          rows(...order);
          out.push(texts() === [...order].join(' ') && b.textContent === 'b' && document.activeElement === b);
        }
        return out.every(Boolean) && out.length === 7 ? 'ok' : `${out} ${texts()}`;
        """,
        )
        == "ok"
    )


def test_keys_that_occur_twice_break_nothing(stage: Browser) -> None:
    assert (
        run(
            stage,
            """
        const out = [];
        for (const order of ['aa', 'aba', 'baab', 'ab', 'bbb', '', 'ccab', 'acbc']) {
          rows(...order);
          out.push(texts() === [...order].join(' ') ? '' : `${order}: ${texts()}`);
        }
        return out.join('');
        """,
        )
        == ""
    )


def test_any_page_follows_any_other(stage: Browser) -> None:
    """Paintings over one another look like each of them painted on its own."""
    assert (
        run(
            stage,
            """
        let seed = 7;
        const random = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
        const tree = (depth) => {
          const some = Array.from({ length: random(5) }, () => {
            if (!depth || !random(3)) return random(2) ? `word ${random(4)}` : null;
            return tree(depth - 1);
          });
          const more = { class: random(2) ? `c${random(3)}` : null, title: random(2) ? random(3) : null };
          if (!random(3)) more.key = random(6);
          return random(4) ? h(['p', 'div', 'span'][random(3)], more, some) : s('g', more, some);
        };
        for (let n = 0; n < 400; n++) {
          const before = seed;
          const first = tree(4), again = (seed = before, tree(4));
          const apart = document.createElement('div');
          paint(apart, [first]);
          show(again);
          if (!apart.isEqualNode(root)) return `${n}: ${root.textContent} / ${apart.textContent}`;
        }
        return 'ok';
        """,
        )
        == "ok"
    )


def test_fields_of_another_key_are_not_taken_over(stage: Browser) -> None:
    assert run(
        stage,
        """
        const page = (key) => show(h('div', { key }, h('input', { type: 'checkbox' }), h('input', { type: 'text' })));
        page('osaka');
        root.querySelector('input').checked = true;
        root.querySelectorAll('input')[1].value = 'typed';
        page('hansa');
        return [root.querySelector('input').checked, root.querySelectorAll('input')[1].value];
        """,
    ) == [False, ""]


def test_fields_settle_on_what_was_painted_but_for_words_being_typed(stage: Browser) -> None:
    assert run(
        stage,
        """
        show(h('input', { type: 'checkbox', checked: true }), ['x', 'y', null].map((value) => h('input', { value })),
          h('select', {}, h('option', {}, 'a'), h('option', { selected: true }, 'b')));
        const [box, typed, left, free] = root.querySelectorAll('input'), select = root.querySelector('select');
        box.checked = false; select.value = 'a'; typed.value = 'typing'; left.value = 'tried'; free.value = 'a search';
        typed.focus();
        settle(root);
        return [box.checked, select.value, typed.value, left.value, free.value];
        """,
    ) == [True, "b", "typing", "y", "a search"]


def test_a_translated_text_is_painted_over_when_it_changes(stage: Browser) -> None:
    assert (
        run(
            stage,
            """
        show(h('p', {}, 'your turn', h('b', {}, '!')));
        const font = document.createElement('font');
        font.textContent = 'du bist dran';
        root.querySelector('p').firstChild.replaceWith(font);
        show(h('p', {}, 'the match is over', h('b', {}, '.')));
        return root.textContent;
        """,
        )
        == "the match is over."
    )


def test_nothing_of_it_offends_the_policy(stage: Browser) -> None:
    assert run(stage, "show(h('p', { style: 'color: red' }, '<b>text</b>')); return root.querySelector('b')") is None
    assert not stage.complaints()


HELD = """
const input = document.querySelector('.chat-form input');
return [document.activeElement === input, input.value, input.selectionStart, input.selectionEnd];
"""
READ = "return document.querySelector('.tab-panel.of-log').scrollTop"


def _hears(node: NodeProcess, window: Browser, match: str, text: str) -> None:
    """Somebody else says a line, and the page has it."""
    ask(node, f"matches/{match}/chat", {"text": text})
    window.wait("return document.querySelector('.chat').textContent.includes(arguments[0])", text)


def _acting(links: list[NodeLink], match: str) -> tuple[int, dict[str, Any]]:
    """The seat that is to act and its state, once all have come so far."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        states = [link.get(f"matches/{match}") for link in links]
        acting = [(seat, state) for seat, state in enumerate(states) if state["your_turn"]]
        if acting and len({state["digest"] for state in states}) == 1:
            return acting[0]
        time.sleep(0.05)
    raise AssertionError("nobody is to act")


def _play(links: list[NodeLink], match: str) -> None:
    """One turn of whoever is to act."""
    seat, state = _acting(links, match)
    while not state["draft"]["must_commit"]:
        state = links[seat].post(f"matches/{match}/draft", {"seat": seat, "text": state["menu"][0]["text"]})
    links[seat].post(f"matches/{match}/commit", {"seat": seat})


def test_a_line_being_typed_and_a_log_being_read_outlast_the_words_of_others(_window: Browser, tmp_path: Path) -> None:
    with nodes_at(tmp_path, 2) as nodes:
        links = [node.link() for node in nodes]
        for link, name in zip(links, ("Ann", "Bob"), strict=True):
            link.put("settings", {"name": name})
        table = links[0].post("tables", {"game": "osaka", "seats": 2})["id"]
        links[1].post("join", {"address": links[0].get(f"tables/{table}")["addresses"][0]})
        base = sign_in(_window, nodes[0])
        _window.resize(1024, 700)
        _window.open(f"{base}#/table/{table}")
        for number, link in enumerate(links):
            link.post(f"tables/{table}/sit", {"seat": number})
        _window.wait_for("[data-ready=no]:not(:disabled)")
        _window.wait("return document.querySelector('.seats').textContent.includes('Bob')", seconds=PATIENCE)
        for link in links:
            link.post(f"tables/{table}/ready")
        _window.wait_for(".board svg", seconds=PATIENCE)
        match = str(_window.run("return location.hash.split('/')[2]"))
        for _ in range(8):
            _play(links, match)
        _acting(links, match)
        last = links[0].get(f"matches/{match}")["log"][-1]["say"]
        _window.wait(
            "return document.querySelector('.log li:first-child span:last-child')?.textContent === arguments[0]", last
        )
        assert _window.run("return document.querySelectorAll('.log li').length") > 4
        _window.run("document.querySelector('.tab-panel.of-log').scrollTop = 3;")
        assert _window.run(READ) == 3
        _hears(nodes[1], _window, match, "while the log is read")
        assert _window.run(READ) == 3
        _window.run("document.querySelector('[data-tab=chat]').click();")
        _window.wait("return document.querySelector('.chat-form input').getClientRects().length > 0")
        write(_window, ".chat-form input", "half a line")
        _window.run("document.querySelector('.chat-form input').setSelectionRange(2, 6);")
        held = _window.run(HELD)
        assert held == [True, "half a line", 2, 6]
        for number in range(3):
            _hears(nodes[1], _window, match, f"line {number}")
            assert _window.run(HELD) == held
        _window.press("!")
        assert _window.run("return document.querySelector('.chat-form input').value") == "ha! line"


def test_the_focus_stays_with_its_match_when_others_come_above_it(stage: Browser, node: NodeProcess) -> None:
    node.link().put("settings", {"name": "Ann"})
    first = new_match(node, "osaka", ["Ann", "Bo"], seed="first")
    sign_in(stage, node)
    stage.run("document.querySelector(`a[href='#/match/${arguments[0]}']`).focus()", first)
    for number in range(3):
        match = new_match(node, "osaka", ["Ann", "Bo"], seed=f"later {number}")
        stage.wait("return document.querySelector(`a[href='#/match/${arguments[0]}']`) !== null", match)
        assert stage.run("return document.activeElement.getAttribute('href')") == f"#/match/{first}"


CHOOSE = (
    "const field = document.querySelectorAll(arguments[0])[arguments[1]];"
    "field.value = arguments[2]; field.dispatchEvent(new Event('change', { bubbles: true }))"
)


def test_names_outlast_another_number_of_players_and_reach_the_match(stage: Browser, node: NodeProcess) -> None:
    sign_in(stage, node)
    stage.click("[data-more=osaka]")
    write(stage, "dialog .seat-row:nth-child(2) input", "Typed")
    stage.run(CHOOSE, "dialog .field select", 0, "4")
    assert stage.run("return document.querySelectorAll('dialog .seat-row').length") == 4
    assert stage.run("return document.activeElement.value") == "Typed"
    stage.run(CHOOSE, "dialog .field select", 0, "2")
    stage.run(CHOOSE, "dialog .seat-row select", 1, "random")
    stage.click("dialog button.primary")
    stage.wait_for(".board svg")
    state = ask(node, f"matches/{stage.run('return location.hash.split(`/`)[2]')}")
    assert [seat["name"] for seat in state["seats"]][1:] == ["Typed"] and not stage.has("dialog")


def test_another_game_has_its_own_seats_and_options(stage: Browser, node: NodeProcess) -> None:
    node.link().put("settings", {"name": "Ann"})
    sign_in(stage, node)
    stage.complaints()  # those of other tests
    stage.click("[data-open=table]")
    stage.wait_for("dialog .option")
    stage.run(CHOOSE, "dialog .field select", 0, "hansa")
    write(stage, "dialog .field input[type=text]", "a note")
    stage.run("document.querySelectorAll('dialog .option input[type=checkbox]').forEach((box) => box.click())")
    stage.run(CHOOSE, "dialog .field select", 1, "5")
    assert stage.run("return document.querySelectorAll('dialog .option input:checked').length") == 2
    stage.run(CHOOSE, "dialog .field select", 0, "yokohama")
    assert stage.run("return document.querySelectorAll('dialog .field select')[1].value") == "2"
    assert stage.run("return document.querySelector('dialog .field input[type=text]').value") == "a note"
    stage.click("dialog button.primary")
    stage.wait("return location.hash.startsWith('#/table/')")
    table = ask(node, f"tables/{stage.run('return location.hash.split(`/`)[2]')}")
    assert (table["game"], len(table["seats"])) == ("yokohama", 2)
    assert all(value == default for value, default in _against_defaults(node, table))
    assert not stage.complaints()


def _against_defaults(node: NodeProcess, table: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Each option of a table with its default."""
    game = next(game for game in ask(node, "games")["games"] if game["id"] == table["game"])
    return [(table["options"].get(option["id"], option["default"]), option["default"]) for option in game["options"]]
