"""What axe-core finds wrong for assistive technology."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .driver import Browser

# Brings everything that moves to its end; what turns for ever, such as the rays of a ship, is stopped.
STILL = """
for (const each of document.getAnimations())
  if (each.effect.getComputedTiming().endTime === Infinity) each.cancel(); else each.finish();
"""
ROOT = Path(__file__).parent.parent.parent


def axe_text() -> str:
    """The text of axe-core; without npm the test is skipped."""
    found = subprocess.run(
        [sys.executable, "scripts/tools/web_tools.py", "axe"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if found.returncode != 0:
        pytest.skip("axe-core cannot be installed: npm is missing")
    return Path(found.stdout.strip()).read_text(encoding="utf-8")


def load(browser: Browser, text: str) -> None:
    """Bring axe into the page; the page's own policy would refuse a script tag."""
    browser.devtools("Runtime.evaluate", {"expression": text})


def faults(browser: Browser) -> list[str]:
    """What axe finds serious or critical now."""
    browser.run(STILL)
    found: list[str] = browser.run_async(
        "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then((result) => done("
        "result.violations.filter((each) => ['serious', 'critical'].includes(each.impact)).map((each) =>"
        " `${each.id}: ${each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`)))"
    )
    return found
