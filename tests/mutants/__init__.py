"""Complete sealed matches with every kind of record, and files in which one signed thing is another.

For a second verifier: `for label, data in originals(): …` gives files that hold, and `for label, data in mutants(): …`
files that do not hold as they stand, though every signature in them was made with the true keys.
"""

from .change import Mutant, mutants
from .matches import MATCHES, Match, match_named, matches, originals

__all__ = ["MATCHES", "Match", "Mutant", "match_named", "matches", "mutants", "originals"]
