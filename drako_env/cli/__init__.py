"""The subcommands of `drako-env`, a module each; `scripts/*.py` of a clone call the same functions."""
