"""The parts of commands that have several: each measures one thing and says it."""
