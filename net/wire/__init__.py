"""Bytes and values that leave this machine, and who signed them."""
