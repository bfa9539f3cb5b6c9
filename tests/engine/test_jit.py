"""The cache of machine code: what it is kept by, where, and what is said."""

import os
import threading

import numba
import numpy as np
import pytest

from drako_env.engine import jit


def rules(folder, text="x = 1"):
    folder.mkdir(parents=True)
    (folder / "rules.py").write_text(text)
    return folder


def test_the_cache_goes_by_what_is_written_not_by_where(tmp_path):
    here, there = rules(tmp_path / "here" / "game"), rules(tmp_path / "there" / "game")
    assert jit._digest(here) == jit._digest(there)
    assert jit._digest(here) != jit._digest(rules(tmp_path / "other" / "game", "x = 2"))


@pytest.mark.parametrize("module", [numba, np])
def test_another_version_compiles_anew(module, tmp_path, monkeypatch):
    folder = rules(tmp_path / "game")
    before = jit._digest(folder)
    monkeypatch.setattr(module, "__version__", "0.0.1")
    assert jit._digest(folder) != before


def test_what_cannot_be_written_is_used_if_there_is_something_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "image"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(os, "access", lambda path, mode: "image" not in str(path))
    empty, filled = rules(tmp_path / "a" / "empty"), rules(tmp_path / "a" / "filled")
    compiled = tmp_path / "image" / "drako_env" / f"filled-{jit._digest(filled)}"
    compiled.mkdir(parents=True)
    (compiled / "loops.deal_one.nbi").touch()
    assert jit.cache_dir(filled) == compiled
    assert jit.cache_dir(empty).is_relative_to(tmp_path / "home")


def double(x):
    return 2 * x


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_kernel_says_so_before_it_is_compiled_and_never_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(jit, "PATIENCE", 600)
    folder = tmp_path / "toys-1"
    kernel = jit.kernel(double, folder)
    assert jit.never_compiled(kernel)
    assert kernel(4) == 8
    assert capsys.readouterr().err == f"drako_env: compiling toys double, once, into {tmp_path} ...\n"
    again = jit.kernel(double, folder)
    assert not jit.never_compiled(again)
    assert again(5) == 10
    assert capsys.readouterr().err == ""


def test_what_takes_long_is_heard_of_until_it_is_over(monkeypatch):
    lines, twice = [], threading.Event()

    class Ear:
        def write(self, text):
            lines.append(text)
            if len(lines) > 2:
                twice.set()

        def flush(self):
            pass

    def work(x):
        assert twice.wait(60)
        return x

    monkeypatch.setattr(jit, "PATIENCE", 1e-3)
    monkeypatch.setattr(jit.sys, "stderr", Ear())
    before = set(threading.enumerate())
    assert jit._heard_of(work, "toys double")(3) == 3
    assert lines[0] == "drako_env: still compiling toys double (0 s) ..."
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_cache_that_cannot_be_written_stops_nobody(tmp_path, monkeypatch):
    kernel = jit.kernel(double, tmp_path / "toys-1")

    def full(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr(kernel._cache._cache_file, "save", full)
    assert kernel(4) == 8
