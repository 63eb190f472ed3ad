"""One match for each way the fair can end: name, options, seats, seed, policy."""

from __future__ import annotations

ENDINGS: list[tuple[str, dict[str, bool | int | str], int, str, str]] = [
    ("one-pile-and-a-round-to-finish", {}, 2, "00", "greedy"),
    ("one-pile-in-the-last-turn-of-a-round", {}, 2, "08", "greedy"),
    ("one-pile-shared", {}, 2, "03", "greedy"),
    ("two-piles-three-players-with-a-pass", {}, 3, "0b", "greedy"),
    ("two-piles-three-players-shared", {}, 3, "1f", "greedy"),
    ("two-piles-in-the-last-turn-of-a-round", {}, 4, "01", "greedy"),
    ("two-piles-four-players-shared", {}, 4, "0c", "greedy"),
    (
        "two-piles-every-option-turned",
        {
            "field_half_extent": 5,
            "bonus_may_be_declined": False,
            "bonus_excludes_new_shop": False,
            "move_must_keep_field_connected": True,
            "final_own_dragons_count": False,
            "reshuffle_task_discards": True,
        },
        4,
        "02",
        "random",
    ),
]
REASONS = {name: "one_pile" if seats == 2 else "two_piles" for name, _, seats, _, _ in ENDINGS}
