"""Tools around the web client: `check` lints it, `browser` and `firefox` look for browsers, `axe` names a file.

The client itself needs none of them. Where Node is missing the checks say so and are left out.
"""

import os
import shutil
import subprocess
import sys

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, SCRIPTS)
import _debian

ROOT = os.path.dirname(SCRIPTS)
WEB = os.path.join(ROOT, "clients", "web")
TOOLS = os.path.join(ROOT, "build", "web-tools")  # git ignores it
PACKAGES = ("chromium", "chromium-driver")


def say(text):
    print(text, flush=True)


def installed():
    """The folder with the tools that package.json names, brought there if need be; None if that cannot be done."""
    npm = shutil.which("npm")
    wanted = os.path.join(WEB, "package.json")
    there = os.path.join(TOOLS, "package.json")
    modules = os.path.join(TOOLS, "node_modules")
    with open(wanted, encoding="utf-8") as file:
        text = file.read()
    if os.path.isdir(modules) and os.path.exists(there):
        with open(there, encoding="utf-8") as file:
            if file.read() == text:
                return modules
    if npm is None:
        return None
    os.makedirs(TOOLS, exist_ok=True)
    shutil.rmtree(modules, ignore_errors=True)
    staged = os.path.join(TOOLS, "staged")
    os.makedirs(staged, exist_ok=True)
    shutil.copy(wanted, staged)
    command = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--silent"]
    if subprocess.call(command, cwd=staged) != 0:
        return None
    os.replace(os.path.join(staged, "node_modules"), modules)
    shutil.copy(wanted, there)  # last, so that a broken installation is not taken for a whole one
    return modules


def check():
    """Lint and types of the client's JavaScript."""
    if shutil.which("node") is None:
        say("SKIPPED: Node is not on this machine, so the web client's JavaScript is not checked")
        return 0
    modules = installed()
    if modules is None:
        say("SKIPPED: the tools of clients/web/package.json cannot be installed, so its JavaScript is not checked")
        return 0
    node = shutil.which("node")
    types = [node, os.path.join(modules, "typescript", "bin", "tsc"), "-p", "jsconfig.json"]
    lint = [node, os.path.join(modules, "eslint", "bin", "eslint.js"), "."]
    return max(subprocess.call(command, cwd=WEB) for command in (types, lint))


def browser():
    """Chromium for the browser tests; installed where that needs no questions."""
    if shutil.which("chromedriver") and (shutil.which("chromium") or shutil.which("google-chrome")):
        say("Chromium is here")
        return 0
    if _debian.install(PACKAGES):
        say("Chromium is installed")
        return 0
    say(f"SKIPPED: there is no Chromium, so the browser tests will be left out; install {' and '.join(PACKAGES)}")
    return 0


def firefox():
    """Firefox for the matches in a second browser; installed where that needs no questions."""
    if shutil.which("firefox-esr") or shutil.which("firefox") or _debian.install(("firefox-esr",)):
        say("Firefox is here")
    else:
        say("SKIPPED: there is no Firefox, so its matches will be left out; install firefox-esr")
    return 0


def axe():
    """Where axe-core lies, for the tests of accessibility."""
    modules = installed()
    if modules is None:
        return 1
    say(os.path.join(modules, "axe-core", "axe.min.js"))
    return 0


if __name__ == "__main__":
    sys.exit({"check": check, "browser": browser, "firefox": firefox, "axe": axe}[sys.argv[1]]())
