"""Compiling beforehand leaves nothing for later."""

import subprocess
import sys
from dataclasses import fields, replace

import pytest

from drako_env.cli import compile as command
from drako_env.engine.kernels import Kernels
from drako_env.games import make_game


@pytest.mark.parametrize("name", ["drako", "golden_dragon"])
def test_every_kernel_is_called(name):
    game, called = make_game(name), set()

    def watched(name, kernel):
        def call(*arguments):
            called.add(name)
            return kernel(*arguments)

        return call

    watching = type(game)(game.rules)
    kernels = {field.name: getattr(game.kernels, field.name) for field in fields(Kernels) if field.name != "cache"}
    watching.kernels = replace(game.kernels, **{name: watched(name, kernel) for name, kernel in kernels.items()})
    command.compile_game(watching)
    assert called == set(kernels)


def test_a_line_for_every_game(monkeypatch, capsys):
    compiled = []
    monkeypatch.setattr(command, "compile_game", lambda game: compiled.append(game.name))
    assert command.main(["icarius"]) == 0
    assert capsys.readouterr().err.startswith("icarius: ready in /")
    assert command.main([]) == 0
    assert compiled == ["icarius_v0", "drako_v0", "golden_dragon_v0", "icarius_v0"]
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        command.main(["chess"])


@pytest.mark.parametrize("module", [["drako_env", "compile"], ["drako_env.compile"]], ids=" ".join)
def test_as_a_module(module):
    """For images without the command on their path."""
    done = subprocess.run([sys.executable, "-m", *module, "chess"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.strip() == "compile: unknown game 'chess'; known are drako, golden_dragon, icarius"
    done = subprocess.run([sys.executable, "-m", *module, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: drako-env compile ")
