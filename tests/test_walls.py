"""Who may import whom, module by module.

The walls between whole packages are import-linter's contracts in pyproject.toml. Here stand those
between single modules, and those that name what is allowed instead of what is not. CONTRIBUTING.md
tells the reasons.
"""

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import grimp
import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = {
    "sequoia_tui": ROOT,
    "sequoia_server": ROOT / "server",
    "sequoia_protocol": ROOT / "protocol",
    "sequoia_rules": ROOT / "protocol",
}

# What the rules may use of the standard library: nothing that knows the time, draws, or does
# input or output.
PURE = {
    "__future__", "abc", "base64", "binascii", "bisect", "collections", "contextlib", "copy",
    "dataclasses", "enum", "fractions", "functools", "hashlib", "heapq", "hmac", "itertools",
    "json", "math", "operator", "re", "string", "struct", "textwrap", "types", "typing",
}  # fmt: skip

# What the words may use of the rules: what is said and seen, never what is secret or decided.
SPEAKABLE = {
    f"sequoia_rules.{name}"
    for name in ("values", "commands", "events", "errors", "phases", "public", "view")
}


class Wall(NamedTuple):
    """One wall: none of the modules in and under `inside` reaches any of `outside`.

    A `direct` wall forbids only what a module itself names: what the modules it may import need
    in turn is their own affair.
    """

    inside: str
    outside: tuple[str, ...]
    direct: bool = False


WALLS = [
    Wall("sequoia_server.room", ("asyncio", "websockets")),
    Wall("sequoia_server.memory", ("asyncio", "websockets")),
    Wall("sequoia_server.course", ("asyncio", "websockets")),
    Wall("sequoia_server.connection", ("asyncio", "websockets")),
    Wall("sequoia_server.host", ("websockets", "sqlite3")),
    Wall("sequoia_server.bots", ("asyncio", "websockets")),
    Wall("sequoia_server.bots", ("sequoia_rules.state",), direct=True),
    Wall(
        "sequoia_tui.widgets",
        ("sequoia_tui.connection", "sequoia_tui.transports", "sequoia_protocol.codec"),
    ),
    Wall(
        "sequoia_tui.transports",
        ("sequoia_protocol.codec", "sequoia_protocol.messages", "textual"),
        direct=True,
    ),
]


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*FOLDERS, include_external_packages=True, cache_dir=None)


def own_modules() -> set[str]:
    return {module for module in graph().modules if module.split(".")[0] in FOLDERS}


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def sources(package: str) -> Iterator[Path]:
    yield from sorted((FOLDERS[package] / package).rglob("*.py"))


def source_of(module: str) -> Path:
    root, *rest = module.split(".")
    path = (FOLDERS[root] / root).joinpath(*rest)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def reached(path: Path, module: str) -> Iterator[tuple[str, int]]:
    """The modules that the imports of a file name, each with its line.

    A name that a package only passes on counts for the module that defines it, so that no wall
    can be walked around by way of an `__init__.py`.
    """
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            dots = "." * node.level
            source = importlib.util.resolve_name(f"{dots}{node.module or ''}", package)
            yield source, node.lineno
            if source.split(".")[0] not in FOLDERS:
                continue
            for alias in node.names:
                if f"{source}.{alias.name}" in graph().modules:
                    yield f"{source}.{alias.name}", node.lineno
                else:
                    value = getattr(importlib.import_module(source), alias.name, None)
                    home = getattr(value, "__module__", None)
                    if isinstance(home, str) and home.split(".")[0] in FOLDERS:
                        yield home, node.lineno


def at(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: f"{wall.inside}|{wall.outside[0]}")
def test_nothing_reaches_over_a_wall(wall: Wall) -> None:
    assert wall.inside in graph().modules, f"{wall.inside} has moved: move its wall with it"
    inside = {module for module in own_modules() if is_within(module, wall.inside)}
    breaches = [
        f"{at(source_of(module), line)} imports {name}"
        for module in inside
        for name, line in reached(source_of(module), module)
        if any(is_within(name, outside) for outside in wall.outside)
    ]
    if not wall.direct:
        chains = (
            graph().find_shortest_chain(wall.inside, outside, as_packages=True)
            for outside in wall.outside
            if outside in graph().modules
        )
        breaches += [" -> ".join(chain) for chain in chains if chain]
    assert not breaches, "\n".join(sorted(breaches))


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: f"{wall.inside}|{wall.outside[0]}")
def test_a_wall_keeps_off_something_that_is_there(wall: Wall) -> None:
    ours = {name for name in wall.outside if name.split(".")[0] in FOLDERS}
    assert ours <= graph().modules, f"{ours - graph().modules} moved: move the wall with them"


def test_the_rules_use_only_the_pure_part_of_the_standard_library() -> None:
    breaches = [
        f"{at(path, line)} imports {name}"
        for path in sources("sequoia_rules")
        for name, line in reached(path, module_of(path))
        if name.split(".")[0] not in PURE | {"sequoia_rules"}
    ]
    assert not breaches, "\n".join(breaches)


def test_the_rules_do_no_input_or_output_by_builtins_either() -> None:
    breaches = [
        f"{at(path, node.lineno)} uses {node.id}"
        for path in sources("sequoia_rules")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Name)
        and node.id in {"__import__", "breakpoint", "eval", "exec", "input", "open", "print"}
    ]
    assert not breaches, "\n".join(breaches)


def test_the_words_use_only_what_may_be_spoken_of_the_rules() -> None:
    breaches = [
        f"{at(path, line)} imports {name}"
        for path in sources("sequoia_protocol")
        for name, line in reached(path, module_of(path))
        if is_within(name, "sequoia_rules")
        and name != "sequoia_rules"
        and not any(is_within(name, allowed) for allowed in SPEAKABLE)
    ]
    assert not breaches, "\n".join(breaches)


@pytest.mark.parametrize("package", ["sequoia_protocol", "sequoia_server.bots"])
def test_the_rules_are_never_imported_whole_where_only_a_part_is_allowed(package: str) -> None:
    breaches = [
        f"{at(source_of(module), node.lineno)}: import the names that are needed"
        for module in sorted(own_modules())
        if is_within(module, package)
        for node in ast.walk(ast.parse(source_of(module).read_text("utf-8")))
        if (isinstance(node, ast.Import) and "sequoia_rules" in {n.name for n in node.names})
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "sequoia_rules"
            and "*" in {n.name for n in node.names}
        )
    ]
    assert not breaches, "\n".join(breaches)


def test_in_the_client_only_the_transports_know_websockets() -> None:
    breaches = [
        f"{at(path, line)} imports {name}"
        for path in sources("sequoia_tui")
        for name, line in reached(path, module_of(path))
        if is_within(name, "websockets")
        and not is_within(module_of(path), "sequoia_tui.transports")
    ]
    assert not breaches, "\n".join(breaches)


def test_nothing_is_imported_by_its_folder() -> None:
    everything = [path for package in FOLDERS for path in sources(package)]
    everything += sorted((ROOT / "tests").rglob("*.py"))
    breaches = [
        f"{at(path, node.lineno)} imports {name}"
        for path in everything
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imported_names(node)
        if name.split(".")[0] in {"server", "protocol"}
    ]
    assert not breaches, "\n".join(breaches)


def imported_names(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if node.module and not node.level else []


def module_of(path: Path) -> str:
    package = next(p for p in FOLDERS if path.is_relative_to(FOLDERS[p] / p))
    parts = path.relative_to(FOLDERS[package]).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
