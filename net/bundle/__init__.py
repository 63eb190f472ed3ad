"""One file with everything that somebody without internet needs to install Kontor."""
