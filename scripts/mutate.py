"""Would the tests notice? Small changes of the rules, the engine and the search, one at a time, and the tests on each.

python scripts/mutate.py --mutants 300 --seed 0                # a sample of all that can be changed
python scripts/mutate.py drako_env/engine/tree.py --mutants 0   # every change of one file
python scripts/mutate.py --resume                               # go on; after new tests: the survivors once more

The kernels run as plain Python, so nothing is compiled anew. A process that has imported every library forks for each
mutant; the child imports the changed module from memory and runs the tests that enter the changed function, first those
that caught other mutants of the file, then the quickest, until one fails. Which tests enter what is measured at first
(some minutes), and again for test files that change. `--compiled` takes the survivors through the tests that are too
slow as plain Python.

Kept tools do not fit: mutmut 3 leaves out decorated functions, which all kernels are, and the module level;
cosmic-ray writes into the sources and starts Python anew for every mutant; mutatest has rested since 2022.
"""

import argparse
import difflib
import gc
import hashlib
import json
import multiprocessing
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import _lru_cache_wrapper, partial
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.update(NUMBA_DISABLE_JIT="1", OMP_NUM_THREADS="1")

import hypothesis
import numba
import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from tests.mutants import Mutant, sample

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("drako_env/engine", "drako_env/drako", "drako_env/golden_dragon", "drako_env/replay.py")
LEFT_OUT = {"jit", "memory", "heuristic"}
"""The compiler, and rules of thumb (no answer of theirs is wrong)."""
TESTS = (
    "tests/engine",
    "tests/drako",
    "tests/golden_dragon",
    "tests/envs",
    "tests/players/test_players.py",
    "tests/evaluation/test_replay.py",
    "tests/project/test_playthroughs.py",
)
NOT_HERE = {"test_rllib.py", "test_seat.py"}  # learners: other processes, large libraries
OPTIONS = ("-m", "not slow and not timing", "--assert=plain", "-p", "no:cacheprovider", "-qq")
OURS = ("drako_env", "agents", "tests", "scripts")
SLOW = 5.0
"""A test that takes more seconds as plain Python is left to `--compiled`."""
COMPILED_SLOW = 120.0
MEMORY = 8 * 2**30
BAD_WORDS, TOO_FEW = 2, 1

Tests = dict[str, Any]
"""By test file: its `digest`, the functions that all its tests may need (`shared`), the seconds that the longest set-up
takes (`setup`), and of every test the `seconds` that it takes itself (null: too many) and the `functions` it enters."""
Answer = dict[str, Any]
FORK = multiprocessing.get_context("fork")


class TooSlow(BaseException):
    """A test takes too long."""


class Meter:
    """A plugin of pytest that measures every test of a file: its time, and the functions of ours that it enters."""

    def __init__(self) -> None:
        self.setup = 0.0
        self.shared: dict[int, CodeType] = {}
        self.tests: dict[str, Any] = {}
        self.caches: list[Any] = []
        self.entered = self.shared
        signal.signal(signal.SIGPROF, self.stop)

    def trace(self, frame: FrameType, event: str, argument: Any) -> None:
        """Note what is called."""
        self.entered[id(frame.f_code)] = frame.f_code

    def stop(self, *_: Any) -> NoReturn:
        """The time is up."""
        raise TooSlow

    def pytest_collection_finish(self) -> None:
        """Find our caches: what one test has computed hides from the next what it needs. Some modules wait to be
        imported by the first test that needs them."""
        for path in sources([]):
            import_module(module_name(path))
        self.caches = [cache for cache in gc.get_objects() if type(cache) is _lru_cache_wrapper and is_ours(cache)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """A fixture may serve several tests: what it takes and enters counts for the whole file."""
        self.tests[item.nodeid] = {"seconds": None, "functions": []}
        for cache in self.caches:
            cache.cache_clear()
        sys.settrace(self.trace)  # Python lets it go if an exception passes through it
        with self.timer() as seconds:
            yield
        self.setup = max(self.setup, *seconds)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Run and measure; a test that fails as plain Python is of no use here."""
        self.entered, test = {}, self.tests[item.nodeid]
        try:
            with self.timer() as seconds:
                yield
            test["seconds"] = seconds[0]
        finally:
            entered, self.entered = self.entered, self.shared
            test["functions"] = names(entered)

    @contextmanager
    def timer(self) -> Iterator[list[float]]:
        """Fills the list with the seconds that something takes, and stops it if they are too many."""
        seconds: list[float] = []
        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SLOW, 1)  # again and again: not everything lets an exception through
        try:
            yield seconds
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            seconds.append(time.process_time() - start)

    def result(self) -> dict[str, Any]:
        """All of it, and the modules that are not ours."""
        sys.settrace(None)
        others = [name for name in sys.modules if name.partition(".")[0] not in OURS]
        return {"shared": names(self.shared), "setup": self.setup, "tests": self.tests, "modules": others}


def is_ours(function: Any) -> bool:
    """Whether a function is written here."""
    return str(getattr(function, "__module__", "")).partition(".")[0] in OURS


def module_name(path: str) -> str:
    """As it is imported."""
    return path.removesuffix(".py").replace("/", ".")


def names(codes: dict[int, CodeType]) -> list[str]:
    """Our own functions among those entered, as `path:name`; a lambda or a comprehension is part of its function."""
    ours = [code for code in codes.values() if code.co_filename.startswith(f"{ROOT}/drako_env/")]
    paths = [code.co_filename.removeprefix(f"{ROOT}/") for code in ours]
    functions = [re.sub(r"\.<locals>\.<\w+>", "", code.co_qualname) for code in ours]
    return sorted({f"{path}:{function}" for path, function in zip(paths, functions, strict=True)})


def measure(file: str, answer: Connection) -> None:
    """In a child: measure the tests of a file."""
    be_quiet()
    meter = Meter()
    sys.settrace(meter.trace)
    pytest.main([*OPTIONS, file], plugins=[meter])
    answer.send(meter.result())


class Changed(SourceFileLoader):
    """Imports the changed module from memory."""

    def __init__(self, mutant: Mutant) -> None:
        super().__init__(module_name(mutant.path), str(ROOT / mutant.path))
        self.changed = mutant.source()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Python asks here first where a module is."""
        return spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, fullname: str) -> CodeType:
        """The code of the changed module."""
        return compile(self.changed, self.path, "exec")


class Judge:
    """A plugin of pytest that runs some tests in their order, and answers when the first one fails."""

    def __init__(self, tests: dict[str, float | None], answer: Connection) -> None:
        self.tests = tests
        self.order = list(tests)
        self.answer = answer
        self.running = "collecting the tests"
        self.done = 0

    def finish(self, caught_by: str | None) -> NoReturn:
        """Send the verdict, and do not wait for anything else."""
        self.answer.send({"by": caught_by, "seconds": time.process_time(), "tests": self.done})
        os._exit(0)

    def endless(self, *_: Any) -> NoReturn:
        """A test takes many times as long as usual."""
        self.finish(f"{self.running} (endless)")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be imported is caught, too."""
        if report.failed:
            self.finish(f"{report.nodeid} (import)")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Only the tests asked for, in their order."""
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in self.order if name in found]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """The clock of a test begins to run."""
        self.running = nodeid
        self.done += 1
        usual = self.tests[nodeid]
        signal.setitimer(signal.ITIMER_PROF, COMPILED_SLOW if usual is None else 5 + 10 * usual)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The first failure is enough."""
        if report.failed:
            self.finish(report.nodeid)


def judge(mutant: Mutant, tests: dict[str, float | None], compiled: bool, answer: Connection) -> None:
    """In a child: change the module, run the tests."""
    be_quiet()
    verdict = Judge(tests, answer)
    signal.signal(signal.SIGPROF, signal.SIG_DFL if compiled else verdict.endless)  # machine code hears no handler
    signal.setitimer(signal.ITIMER_PROF, COMPILED_SLOW if compiled else 4 * SLOW)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    sys.meta_path.insert(0, Changed(mutant))  # type: ignore[arg-type]
    files = list(dict.fromkeys(name.partition("::")[0] for name in tests))
    if compiled:  # by the environment: numba reads it again whenever it compiles
        os.environ.update(NUMBA_DISABLE_JIT="0", NUMBA_CACHE_DIR=tempfile.mkdtemp())
        numba.config.reload_config()
    if tests:
        pytest.main([*OPTIONS, *files], plugins=[verdict])
    verdict.finish(None)


def be_quiet() -> None:
    """Write nothing; the same examples every time, none made smaller, none kept."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutate", database=None, derandomize=True, phases=phases, deadline=None)
    hypothesis.settings.load_profile("mutate")


# ---------------------------------------------------------------------------------------------------- in the parent


def in_children(
    work: Sequence[Any], start: Callable[[Any], tuple[Any, ...]], jobs: int
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Do each piece of work in a child of its own, `jobs` at a time: the work and the answer, as they come in.
    `start(work)` are the function and its arguments."""
    waiting, running = list(reversed(work)), {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                piece = waiting.pop()
                receiver, sender = FORK.Pipe(duplex=False)
                function, *arguments = start(piece)
                child = FORK.Process(target=function, args=(*arguments, sender))
                child.start()
                sender.close()
                running[receiver] = piece, child
            for receiver in wait(list(running)):
                piece, child = running.pop(receiver)  # type: ignore[arg-type]
                answer = None
                with suppress(EOFError):
                    answer = receiver.recv()  # type: ignore[union-attr]
                child.join()
                yield piece, answer or {"by": f"the process ended ({child.exitcode})", "seconds": 0.0, "tests": 0}
    finally:
        for _, child in running.values():
            child.kill()


def bar(console: Console) -> Progress:
    """Progress with rate and remaining time."""
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[note]}")]
    return Progress(*columns, TimeRemainingColumn(), console=console)


def known_tests(path: Path, console: Console, jobs: int) -> Tests:
    """What is known of every test file; measures those that are new or have changed, and imports what they need."""
    known = json.loads(path.read_text()) if path.exists() else {}
    files = [file for place in TESTS for file in sorted([*Path(place).glob("test_*.py")] or [Path(place)])]
    digests = {str(file): digest(file) for file in files if file.name not in NOT_HERE}
    known = {file: known[file] for file in digests if known.get(file, {}).get("digest") == digests[file]}
    preload(known)
    with bar(console) as progress:
        task = progress.add_task("measuring tests", total=len(digests), completed=len(known), note="")
        missing = [file for file in digests if file not in known]
        for file, answer in in_children(missing, lambda file: (measure, file), jobs):
            known[file] = {"digest": digests[file], **answer}
            preload({file: known[file]})
            path.write_text(json.dumps(known))
            progress.update(task, advance=1)
    return known


def preload(known: Tests) -> None:
    """Import here what the children would import each by itself."""
    for file in known.values():
        for name in file["modules"]:
            if name not in sys.modules:
                with suppress(Exception):
                    import_module(name)


def digest(*paths: Path) -> str:
    """Of the contents of files."""
    return hashlib.blake2b(b"".join(path.read_bytes() for path in paths), digest_size=8).hexdigest()


def tests_for(mutant: Mutant, known: Tests, compiled: bool) -> dict[str, float | None]:
    """The tests that enter the changed function, the quickest first; or those that are too slow, for `compiled`. A
    change outside of functions concerns every test that enters some function of the folder."""
    name = f"{mutant.path}:{mutant.function}"
    place = str(Path(mutant.path).parent) + "/" if mutant.path.count("/") > 1 else mutant.path
    found = {}
    for file in known.values():
        for test, entry in file["tests"].items():
            entered = [*entry["functions"], *file["shared"]]
            near = not mutant.function and any(function.startswith(place) for function in entered)
            if (name in entered or near) and (entry["seconds"] is None) == compiled:
                found[test] = None if compiled else entry["seconds"] + file["setup"]
    return dict(sorted(found.items(), key=lambda item: item[1] or 0))


class Results:
    """The verdicts, one line of JSON each."""

    def __init__(self, path: Path, known: Tests, compiled: bool) -> None:
        self.path = path
        self.rows: dict[tuple[Any, ...], Answer] = {}
        self.now = {"tests_digest": digest(*map(Path, sorted(known))), "compiled": compiled}
        for line in path.read_text().splitlines() if path.exists() else []:
            row = json.loads(line)
            caught = row["by"] is not None
            if row["digest"] == digest(Path(row["path"])) and (caught or all(row[k] == v for k, v in self.now.items())):
                self.rows[self.key(Mutant(**{name: row[name] for name in Mutant.__dataclass_fields__}))] = row

    @staticmethod
    def key(mutant: Mutant) -> tuple[Any, ...]:
        """What tells mutants apart."""
        return mutant.path, mutant.start, mutant.before, mutant.after

    def add(self, mutant: Mutant, answer: Answer) -> None:
        """Keep a verdict."""
        row = asdict(mutant) | answer | self.now | {"digest": digest(Path(mutant.path))}
        self.rows[self.key(mutant)] = row
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")


def run(mutants: list[Mutant], known: Tests, results: Results, options: argparse.Namespace, console: Console) -> None:
    """Judge every mutant that has no verdict yet."""
    left = [mutant for mutant in mutants if Results.key(mutant) not in results.rows]
    start, done, survived = time.monotonic(), 0, 0
    ran: Counter[Mutant] = Counter()
    with bar(console) as progress:
        task = progress.add_task("mutants", total=len(mutants), completed=len(mutants) - len(left), note="")
        for compiled in (False, True) if options.compiled else (False,):
            last, again = compiled == options.compiled, []
            for mutant, answer in in_children(left, partial(judging, known, results, compiled), options.jobs):
                ran[mutant] += answer["tests"]
                if answer["by"] is None and not last:
                    again.append(mutant)
                    continue
                results.add(mutant, answer | {"tests": ran[mutant]})
                done, survived = done + 1, survived + (answer["by"] is None)
                rate = 60 * done / (time.monotonic() - start)
                progress.update(task, advance=1, note=f"{survived} survived, {rate:.1f} a minute")
            left = again


def judging(known: Tests, results: Results, compiled: bool, mutant: Mutant) -> tuple[Any, ...]:
    """What a child has to do for a mutant: first the tests that have caught others of the file."""
    tests = tests_for(mutant, known, compiled)
    good = {row["by"] for row in results.rows.values() if row["path"] == mutant.path}
    order = sorted(tests, key=lambda name: name not in good)
    return judge, mutant, {name: tests[name] for name in order}, compiled


def report(rows: list[Answer], console: Console) -> float:
    """The survivors as changes, a table by file, the tests that caught most; returns the share that was caught."""
    for row in sorted((row for row in rows if row["by"] is None), key=lambda row: (row["path"], row["line"])):
        mutant = Mutant(**{name: row[name] for name in Mutant.__dataclass_fields__})
        where = f"{mutant.path}:{mutant.line} {mutant.function or 'module'} survived {row['tests']} tests"
        console.print(where, style="bold red", highlight=False)
        before, after = Path(mutant.path).read_text().splitlines(), mutant.source().splitlines()
        for line in list(difflib.unified_diff(before, after, lineterm="", n=0))[3:]:
            console.print(f"  {line}", markup=False, highlight=False)
    table = Table("file", "mutants", "caught", "share", "seconds each")
    for path in [*sorted({row["path"] for row in rows}), "all"]:
        of_file = [row for row in rows if path in (row["path"], "all")]
        caught = sum(row["by"] is not None for row in of_file)
        seconds = sum(row["seconds"] for row in of_file) / len(of_file)
        share = f"{100 * caught / len(of_file):.1f}%"
        table.add_row(path, str(len(of_file)), str(caught), share, f"{seconds:.1f}")
    console.print(table)
    for test, count in Counter(row["by"].partition("[")[0] for row in rows if row["by"]).most_common(10):
        console.print(f"{count:5} caught by {test}", highlight=False)
    return 100 * sum(row["by"] is not None for row in rows) / len(rows)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="sources to change (default: rules, engine and search)")
    parser.add_argument("--mutants", type=int, default=300, help="how many, 0: all (default: 300)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time (default: 1)")
    parser.add_argument("--at-least", type=float, default=0, metavar="PERCENT", help="exit with 1 if fewer are caught")
    parser.add_argument("--compiled", action="store_true", help="survivors also through the slow tests, compiled")
    parser.add_argument("--out", type=Path, default=Path("runs/mutation"), help="folder for the results")
    parser.add_argument("--resume", action="store_true", help="keep the verdicts of an earlier run")
    return parser.parse_args()


def sources(files: list[str]) -> list[str]:
    """The paths to change, from the root of the project."""
    found = [path for place in SOURCES for path in sorted([*Path(place).glob("*.py")] or [Path(place)])]
    chosen = [Path(file).resolve().relative_to(ROOT) for file in files]
    return [str(path) for path in chosen or found if path.stem not in LEFT_OUT or chosen]


def main() -> int:
    """Sample, judge, report."""
    options, console = parse(), Console(width=140)
    os.chdir(ROOT)
    path = options.out / "results.jsonl"
    try:
        if path.exists() and not options.resume:
            raise ValueError(f"{path} exists: add --resume to go on, or choose another --out")
        mutants = sample(sources(options.files), options.mutants, options.seed)
        options.out.mkdir(parents=True, exist_ok=True)
    except (ValueError, OSError) as error:
        print(f"mutate: {error}", file=sys.stderr)
        return BAD_WORDS
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder  # children end at once, and leave what they wrote
        known = known_tests(options.out.parent / "mutation_tests.json", console, options.jobs)
        results = Results(path, known, options.compiled)
        run(mutants, known, results, options, console)
    share = report([results.rows[Results.key(mutant)] for mutant in mutants], console)
    console.print(f"{share:.1f}% of {len(mutants)} mutants caught; the verdicts are in {path}")
    return TOO_FEW if share < options.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
