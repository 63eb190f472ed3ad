"""How much of the rooms that are named the counted tests run, lines and branches; fails where that is too little."""

import io
import os
import sys

import coverage

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NEEDED = {"engine": 95, "net": 90, "lobby": 90, "clients": 70}  # percent


def main():
    counts = coverage.Coverage()
    counts.load()
    wrong = False
    for room in sys.argv[1:] or NEEDED:
        needed = NEEDED[room]
        try:
            found = counts.report(include=[os.path.join(ROOT, room, "*")], file=io.StringIO())
        except coverage.exceptions.NoDataError:
            print(f"{room:8} not counted")
            wrong = True
            continue
        print(f"{room:8} {found:5.1f} %, at least {needed} %")
        wrong = wrong or found < needed
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
