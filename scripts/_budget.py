"""How much of a processor the usual suite may take, whatever machine it runs on and whatever else that does.

Twelve minutes on two cores hold 1,440 seconds of a processor. The clock says little on a busy machine, and the seconds
of a slow processor, or of one whose cores share what they have, are worth less than those of a fast one. So what the
suite took of a processor is counted, and one fixed piece of work is done before and after it, on all cores at once: if
that takes twice as long here and now as it did where the budget was set, the suite may take twice as long too.

A faster machine is not held to less: system calls and starts of processes, much of the suite, do not get faster as that
piece of work does. One suite took 6,700 units of it on a slow machine and 10,000 on one twice as fast. Whatever takes
less than 1,440 seconds here fits into twelve minutes here.
"""

import os
import statistics
import subprocess
import sys

BUDGET = 2 * 12 * 60  # seconds of a processor of the machine where UNIT was taken: what takes more cannot fit
UNIT = 0.160  # seconds that the piece of work takes there
TRIES = 5  # on each core; the median counts
WORK = """
import hashlib, time
started = time.process_time()
seen = {}
for number in range(250_000):
    seen[number % 997, number % 31] = (number, str(number))
for number in range(250):
    hashlib.sha256(bytes(50_000)).digest()
print(time.process_time() - started)
"""


def unit():
    """Seconds of a processor for the piece of work, objects and digests as in most tests, while all cores do it."""
    took = []
    for _ in range(TRIES):
        runs = [
            subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.PIPE, text=True)
            for _ in range(os.cpu_count() or 1)
        ]
        took += [float(run.communicate()[0]) for run in runs]
    return statistics.median(took)


def spent():
    """Seconds of a processor that children of this process have taken so far, and theirs.

    Only of those that ended and that somebody waited for: half of what Chromium takes, about 250 s, comes on top.
    """
    times = os.times()
    return times.children_user + times.children_system


def judged(seconds, here):
    """What to say about a suite that took so many seconds where a unit takes `here`, and whether that is too much."""
    scaled = seconds * min(1.0, UNIT / here)
    text = f"{seconds:,.0f} s of this processor, {scaled:,.0f} s where the budget of {BUDGET:,} s was set"
    if scaled <= BUDGET:
        return text, False
    return f"{text}: OVER BUDGET; `pytest --processor tests` names the dearest (CONTRIBUTING.md)", True
