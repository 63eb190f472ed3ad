"""Debian packages that some tests need: installed where that needs no questions."""

import os
import shutil
import subprocess


def install(packages):
    """Whether these packages are installed now; False where there is no apt-get, or this user may not use it."""
    apt = shutil.which("apt-get")
    if apt is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = [apt, "install", "-y", "-qq", "--no-install-recommends", *packages]
    if _call(command, environment):
        return True
    return _call([apt, "update", "-qq"], environment) and _call(command, environment)


def _call(command, environment):
    return subprocess.call(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
