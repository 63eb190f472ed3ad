"""What an expert thinks of a match that was played: chances over time, and what decisions cost (docs/analysis.md)."""

from __future__ import annotations

from .analysis_run import Analysis
from .stored import MatchKey, StoredAnalysis, path_of, stored_at

DEFAULT_BUDGET = 100  # continuations for each decision

__all__ = ["DEFAULT_BUDGET", "Analysis", "MatchKey", "StoredAnalysis", "path_of", "stored_at"]
