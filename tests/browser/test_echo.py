"""A page that has the state of a match does not ask for it again because of what it did itself."""

from __future__ import annotations

import time

import pytest

from tests.net.api.kit import NodeProcess

from .driver import Browser
from .play import CAN, DRAWN, STEP, ask, new_match, sign_in

pytestmark = pytest.mark.browser

# Counts requests for the state of the match. `lag` holds answers back, so that events overtake them.
COUNT = """
const ask = window.fetch, [match, feed, lag] = arguments;
window.counted = { GET: 0, POST: 0 };
window.fetch = async (path, more) => {
  const { method } = more;
  const state = String(path).includes(`matches/${match}`) && !String(path).endsWith('/explain');
  if (state) window.counted[method]++;
  const answer = await ask(path, more);
  if (!state) return answer;
  const data = await answer.json();
  if (!feed) delete data.feed;
  else data.feed ??= (await (await ask('/api/1/hello', { headers: { 'X-Kontor': '1' } })).json()).last;
  await new Promise((done) => setTimeout(done, lag));
  return new Response(JSON.stringify(data), { status: answer.status });
};
"""
QUIET = 0.6  # seconds: more than an event and the wait before a request take


def counted(browser: Browser) -> tuple[int, int]:
    time.sleep(QUIET)
    found = browser.run("return window.counted")
    return found["GET"], found["POST"]


def begin(browser: Browser, node: NodeProcess, seed: str) -> str:
    address = sign_in(browser, node)
    match = new_match(node, "osaka", ["Ann", "Bo"], seed=seed)
    browser.open(f"{address}#/match/{match}")
    browser.wait_for(CAN)
    time.sleep(QUIET)
    return match


@pytest.mark.parametrize("lag", [0, 200], ids=["answer first", "event first"])
def test_a_draft_is_not_followed_by_a_request_for_the_state(browser: Browser, node: NodeProcess, lag: int) -> None:
    match = begin(browser, node, f"echo {lag}")
    browser.run(COUNT, match, True, lag)
    drawn = browser.run(f"return {DRAWN}")
    browser.run(STEP, 0)
    browser.wait(f"return {DRAWN} !== arguments[0]", drawn)
    assert counted(browser) == (0, 1)
    browser.click("[data-draft=undo]")
    browser.wait("return document.querySelector('.draft-steps') === null")
    assert counted(browser) == (0, 2)


def test_what_others_do_is_asked_for(browser: Browser, node: NodeProcess) -> None:
    match = begin(browser, node, "echo of others")
    browser.run(COUNT, match, True, 0)
    state = ask(node, f"matches/{match}")
    ask(node, f"matches/{match}/draft", {"seat": 0, "text": state["menu"][0]["text"]})  # as another window would
    browser.wait_for(".draft-steps li")
    assert counted(browser) == (1, 0)
    browser.click("[data-draft=commit]")
    browser.wait("return document.querySelector('.log').textContent.includes('Bo')")


def test_a_node_that_does_not_number_its_states_is_asked_after_every_event(browser: Browser, node: NodeProcess) -> None:
    match = begin(browser, node, "no numbers")
    browser.run(COUNT, match, False, 0)
    browser.run(STEP, 0)
    browser.wait_for(".draft-steps li, .popover")
    assert counted(browser) == (1, 1)
