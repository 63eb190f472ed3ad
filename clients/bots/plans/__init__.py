"""Plans: for each game the rules by which a skilled player chooses, from the state and what its seat knows."""
