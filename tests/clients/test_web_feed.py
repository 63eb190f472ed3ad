"""The web client asks for the state of a match again only if it heard of something that its page does not contain."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

# Each case: what happens to a page, then whether the state has to be asked for.
CASES = {
    "an event that the answer to one's own request contains": (["shows 7", "wants 7"], False),
    "an event that arrives before that answer": (["wants 7", "shows 7"], False),
    "an event after the shown state": (["shows 7", "wants 8"], True),
    "an old event after a new one": (["shows 7", "wants 9", "wants 6"], True),
    "nothing": (["shows 7"], False),
    "a wish without an event": (["shows 7", "wants"], True),
    "a wish that was fulfilled": (["shows 7", "wants", "asked", "shows 7"], False),
    "an event while the state is on its way": (["wants 8", "asked", "wants 9", "shows 8"], True),
    "an event that the state on its way contains": (["wants 8", "asked", "wants 9", "shows 9"], False),
    "an event, if the node does not say what a state contains": (["shows", "wants 7"], True),
    "an event before such a state": (["wants 7", "shows"], True),
    "an event while such a state is on its way": (["wants 7", "asked", "wants 8", "shows"], True),
    "nothing since such a state was asked for": (["wants 7", "asked", "shows"], False),
    "an event of a node that counts from a lower number again": (
        ["shows 7", "wants", "asked", "shows 3", "wants 4"],
        True,
    ),
}
SCRIPT = """
import { Feed } from "./clients/web/ui/match/feed.js";
const [steps] = process.argv.slice(1);
const feed = new Feed();
for (const step of JSON.parse(steps)) {
  const [what, number] = step.split(" ");
  const n = number === undefined ? undefined : Number(number);
  if (what === "shows") feed.shows(n === undefined ? {} : { feed: n });
  else feed[what](n);
}
console.log(feed.isBehind);
"""


@pytest.mark.parametrize("case", CASES)
def test_a_state_is_asked_for_again_only_if_it_lacks_what_was_heard(case: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node.js here to run the web client's code")
    steps, behind = CASES[case]
    run = subprocess.run(
        [node, "--input-type=module", "-e", SCRIPT, json.dumps(steps)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) is behind
