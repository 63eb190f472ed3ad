"""The benchmark's command: finds the parts `scripts/benches/bench_<part>.py`, runs them, prints tables or JSON."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parent))

import bench_rounds

PARTS = ("engine", "bots", "net", "lobby", "api", "web", "archive")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("part", choices=(*PARTS, "all"), nargs="?", default="engine")
    parser.add_argument("--json", action="store_true", help="print machine-readable figures")
    parser.add_argument("--rounds", type=int, default=9, help="interleaved rounds (default 9)")
    parser.add_argument("--only", default="", metavar="A,B", help="sections of the part (the lobby has some)")
    parser.add_argument("--seconds", type=float, default=0.4, help="length of one window (default 0.4)")
    arguments = parser.parse_args()
    present = [part for part in PARTS if (Path(__file__).parent / f"bench_{part}.py").exists()]
    wanted = present if arguments.part == "all" else [arguments.part]
    report: dict[str, Any] = {"machine": machine()}
    for part in wanted:
        if part not in present:
            print(f"bench: there is no part {part!r} yet", file=sys.stderr)
            return 2
        before = bench_rounds.steal()
        module = import_module(f"bench_{part}")
        if arguments.only and not hasattr(module, "SECTIONS"):
            print(f"bench: the part {part!r} has no sections", file=sys.stderr)
            return 2
        only = {"only": arguments.only.split(",")} if arguments.only else {}
        report[part] = module.run(arguments.rounds, arguments.seconds, **only)
        report[part]["steal_percent"] = bench_rounds.steal_since(before)
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        print("  ".join(f"{key} {value}" for key, value in report["machine"].items()))
        for part in wanted:
            bench_rounds.print_table(part, report[part])
    return 0


def machine() -> dict[str, Any]:
    """What the figures were taken on."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "kernel": platform.release(),
        "cpu": platform.machine(),
    }


if __name__ == "__main__":
    sys.exit(main())
