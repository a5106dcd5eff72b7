"""Ways to break the code that cites a clause, each as a changed module.

A citation is a line of a source file. What is broken is the smallest thing that the line belongs
to: a table's entry, a class's field, the statement around a comment or a refusal, or the function
whose docstring names the clause. For a module's docstring it is every function. Broken code still
loads; it gives a wrong result, or fails when it is called.
"""

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

BROKEN = "__broken__"
"""The name under which `broken` stands in a changed module."""

DENTED = "__dented__"
"""The name under which `dented` stands in a changed module."""

_BITS_OF_A_NUMBER = 53
"""A longer whole number is a set of hexes, a bit each; its wrong value is the empty set."""

_TABLES = (ast.Tuple, ast.List, ast.Set)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Broken(Exception):
    """Raised by broken code that has no wrong value to give."""


# --- what broken code gives -----------------------------------------------------------------------


def broken(value: Any) -> Any:
    """A wrong value of the same type. Raises Broken for one that has none."""
    if isinstance(value, bool):
        return not value
    if type(value) is int and value.bit_length() > _BITS_OF_A_NUMBER:
        return 0
    if type(value) in (int, Fraction):
        return value + 1
    if type(value) is str:
        return value + "?"
    if type(value) in (tuple, list, set, frozenset, dict) and value:
        return type(value)()
    raise Broken(f"no wrong value for {value!r}")


def dented(kind: type, field: str) -> type:
    """The class, in whose instances the field has a wrong value from the beginning."""
    sound = kind.__init__  # type: ignore[misc]

    def __init__(self: Any, *args: Any, **named: Any) -> None:
        sound(self, *args, **named)
        object.__setattr__(self, field, broken(getattr(self, field)))

    kind.__init__ = __init__  # type: ignore[misc]
    return kind


# --- what a line belongs to -----------------------------------------------------------------------


def mutants(source: str, line: int) -> Iterator[tuple[str, ast.Module]]:
    """Every way of breaking what the line belongs to: a few words that say what, and the module."""
    tree = ast.parse(source)
    for words, change in _ways(tree, line):
        # A change is made in place; the next way begins from the sound module.
        changed = copy.deepcopy(tree)
        change(changed)
        yield words, ast.fix_missing_locations(changed)


_Change = Callable[[ast.Module], None]


def _ways(tree: ast.Module, line: int) -> Iterator[tuple[str, _Change]]:
    if _in_docstring(tree, line):
        yield "every function of the module", lambda made: _break_functions(made)
        return
    found = _statement(tree.body, line)
    if found is None:
        return
    path, node = found
    if isinstance(node, _FUNCTIONS):
        yield f"{node.name}()", _function_breaker(path)
        return
    if isinstance(node, ast.ClassDef):
        yield from _class_ways(tree, path)
        return
    yield from _statement_ways(tree, path, node, line)


_Path = tuple[tuple[str, int], ...]
"""How to reach a statement from the module: the name of a body and the place in it, again and
again."""


def _at(tree: ast.AST, path: _Path) -> Any:
    node: Any = tree
    for name, index in path:
        node = getattr(node, name)[index]
    return node


def _put(tree: ast.AST, path: _Path, new: Sequence[ast.stmt]) -> None:
    owner = _at(tree, path[:-1])
    name, index = path[-1]
    getattr(owner, name)[index : index + 1] = new


def _first_line(node: ast.AST) -> int:
    return min(
        [getattr(node, "lineno", 0), *(d.lineno for d in getattr(node, "decorator_list", ()))]
    )


def _in_docstring(node: ast.AST, line: int) -> bool:
    body = getattr(node, "body", None)
    if not body or not isinstance(body, list):
        return False
    first = body[0]
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
        and first.lineno <= line <= (first.end_lineno or first.lineno)
    )


def _statement(
    body: list[ast.stmt], line: int, path: _Path = (), name: str = "body"
) -> tuple[_Path, ast.stmt] | None:
    """The innermost statement that the line stands in. For a comment between two, or a string that
    explains the one before, it is that one."""
    before: tuple[_Path, ast.stmt] | None = None
    for index, node in enumerate(body):
        here = (*path, (name, index))
        if line < _first_line(node):
            return here, node  # a comment above it
        if line <= (node.end_lineno or node.lineno):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and before:
                return before  # the string below a field or a constant
            bodies = [
                (key, nested)
                for key in ("body", "orelse", "finalbody")
                if isinstance(nested := getattr(node, key, None), list) and nested
            ]
            for key, nested in bodies:
                if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and _in_docstring(node, line):
                    return here, node
                if line >= _first_line(nested[0]) or (
                    key == "body" and isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.For))
                ):
                    last = nested[-1].end_lineno or 0
                    if line <= last and line > _header_end(node):
                        return _statement(nested, line, here, key)
            for handler in range(len(getattr(node, "handlers", ()))):
                caught = node.handlers[handler]  # type: ignore[attr-defined]
                if caught.lineno < line <= (caught.end_lineno or 0):
                    return _statement(caught.body, line, (*here, ("handlers", handler)))
            return here, node
        before = here, node
    return before


def _header_end(node: ast.stmt) -> int:
    """The last line of what stands before the body of a compound statement."""
    parts: list[ast.AST] = []
    for key in ("test", "iter", "target", "items", "returns", "args", "subject"):
        part = getattr(node, key, None)
        parts += part if isinstance(part, list) else [part] if part is not None else []
    ends = [getattr(part, "end_lineno", None) or 0 for top in parts for part in ast.walk(top)]
    return max([node.lineno, *ends])


# --- breaking a function --------------------------------------------------------------------------


def _function_breaker(path: _Path) -> _Change:
    def change(made: ast.Module) -> None:
        _break(_at(made, path))

    return change


def _break_functions(made: ast.AST) -> None:
    for node in list(ast.walk(made)):
        if isinstance(node, ast.FunctionDef):
            _break(node)


def _generates(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    pending: list[ast.AST] = list(node.body)
    while pending:
        one = pending.pop()
        if isinstance(one, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(one, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(one))
    return False


def _break(node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """The function does nothing where it gives nothing; otherwise what it gives is wrong."""
    if _generates(node):
        node.body = ast.parse("def f():\n    return\n    yield").body[0].body  # type: ignore[attr-defined]
        return
    if isinstance(node.returns, ast.Constant) and node.returns.value is None:
        node.body = [ast.Pass()]
        return
    args = node.args
    given: list[ast.expr] = [_name(one.arg) for one in (*args.posonlyargs, *args.args)]
    if args.vararg:
        given.append(ast.Starred(_name(args.vararg.arg), ast.Load()))
    named = [ast.keyword(one.arg, _name(one.arg)) for one in args.kwonlyargs]
    if args.kwarg:
        named.append(ast.keyword(None, _name(args.kwarg.arg)))
    inner = copy.deepcopy(node)
    inner.name, inner.decorator_list = "__sound__", []
    call = ast.Call(_name("__sound__"), given, named)
    node.body = [inner, ast.Return(ast.Call(_name(BROKEN), [call], []))]


def _name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


# --- breaking a class -----------------------------------------------------------------------------


def _class_ways(tree: ast.Module, path: _Path) -> Iterator[tuple[str, _Change]]:
    """Each method, then each field."""
    node = _at(tree, path)
    for index, part in enumerate(node.body):
        inner = (*path, ("body", index))
        if isinstance(part, ast.FunctionDef):
            yield f"{node.name}.{part.name}()", _function_breaker(inner)
    for index, part in enumerate(node.body):
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield from _field_ways(tree, (*path, ("body", index)), part.target.id)
    if not node.body[1:]:
        yield f"{node.name}", _raiser(path)


def _raiser(path: _Path) -> _Change:
    def change(made: ast.Module) -> None:
        node = _at(made, path)
        node.body += ast.parse(
            "def __init__(self, *args, **named):\n    raise RuntimeError('broken')"
        ).body

    return change


def _field_ways(tree: ast.Module, path: _Path, field: str) -> Iterator[tuple[str, _Change]]:
    owner = _at(tree, path[:-1])
    made_by = {
        sub.id if isinstance(sub, ast.Name) else sub.attr
        for one in owner.decorator_list
        for sub in ast.walk(one)
        if isinstance(sub, ast.Name | ast.Attribute)
    }
    if not made_by & {"define", "frozen", "mutable", "dataclass", "event", "effect"}:
        return

    def change(made: ast.Module) -> None:
        node = _at(made, path[:-1])
        dent = ast.parse(f"{node.name} = {DENTED}({node.name}, {field!r})").body
        _put(made, path[:-1], [node, *dent])

    yield f"{owner.name}.{field}", change


# --- breaking a statement -------------------------------------------------------------------------


def _statement_ways(
    tree: ast.Module, path: _Path, node: ast.stmt, line: int
) -> Iterator[tuple[str, _Change]]:
    owner = _at(tree, path[:-1])
    words = f"line {node.lineno}"
    if (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(owner, ast.ClassDef)
    ):
        ways = list(_field_ways(tree, path, node.target.id))
        if ways:
            yield from ways
            return
    if isinstance(node, ast.If | ast.While):
        yield f"the condition in {words}", _changer(path, _negated_test)
        return
    if isinstance(node, ast.For):
        yield f"the loop in {words}", _changer(path, _no_round)
        return
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return) and node.value:
        entries = list(_entries(node.value, line))
        given = _given(node.value, line)
        for steps, index, what in entries:
            yield f"{what} in line {line}", _entry_dropper(path, steps, index)
        if given is not None and not entries:
            yield (
                f"{node.value.keywords[given].arg}= in line {line}",
                _changer(  # type: ignore[attr-defined]
                    path, lambda made: _wrong_keyword(made, given)
                ),
            )
        elif not entries:
            yield f"the value in {words}", _changer(path, _wrong_value)
    elif isinstance(node, ast.Expr):
        yield words, _changer(path, lambda _: [ast.Pass()])
    # What a condition leads to: the condition itself.
    if isinstance(owner, ast.If) and path[-1][0] == "body":
        yield f"the condition in line {owner.lineno}", _changer(path[:-1], _negated_test)
    # Whatever else stands in a function: the function.
    for size in range(len(path) - 1, 0, -1):
        outer = _at(tree, path[:size])
        if isinstance(outer, _FUNCTIONS):
            yield f"{outer.name}()", _function_breaker(path[:size])
            return


def _changer(path: _Path, make: Callable[[Any], Sequence[ast.stmt]]) -> _Change:
    def change(made: ast.Module) -> None:
        _put(made, path, make(_at(made, path)))

    return change


def _negated_test(node: Any) -> Sequence[ast.stmt]:
    node.test = ast.UnaryOp(ast.Not(), node.test)
    return [node]


def _no_round(node: Any) -> Sequence[ast.stmt]:
    node.iter = ast.Tuple([], ast.Load())
    return [node]


def _wrong_value(node: Any) -> Sequence[ast.stmt]:
    node.value = ast.Call(_name(BROKEN), [node.value], [])
    return [node]


def _given(value: ast.expr, line: int) -> int | None:
    """Which named argument of a call over several lines the line stands in, or above."""
    if isinstance(value, ast.Call) and value.lineno < line:
        for index, one in enumerate(value.keywords):
            if line <= (one.end_lineno or 0):
                return index
    return None


def _wrong_keyword(node: Any, index: int) -> Sequence[ast.stmt]:
    given = node.value.keywords[index]
    given.value = ast.Call(_name(BROKEN), [given.value], [])
    return [node]


_Steps = tuple[tuple[str, int], ...]


def _entries(value: ast.expr, line: int) -> Iterator[tuple[_Steps, int, str]]:
    """The innermost entries of tables that the line stands in: how to reach the table, and which
    entry of it."""
    best: tuple[_Steps, int, str] | None = None
    pending: list[tuple[_Steps, ast.AST]] = [((), value)]
    while pending:
        steps, node = pending.pop()
        if isinstance(node, ast.Dict):
            spans = [
                ((key or entry).lineno, entry.end_lineno or 0)
                for key, entry in zip(node.keys, node.values, strict=True)
            ]
        elif isinstance(node, _TABLES):
            spans = [(entry.lineno, entry.end_lineno or 0) for entry in node.elts]
        else:
            spans = []
        for index, (_, last) in enumerate(spans):
            if line <= last:
                if node.lineno != node.end_lineno:  # type: ignore[attr-defined]
                    best = steps, index, "the entry"
                break
        for field, part in ast.iter_fields(node):
            parts = part if isinstance(part, list) else [part]
            for index, one in enumerate(parts):
                if (
                    isinstance(one, ast.AST)
                    and hasattr(one, "lineno")
                    and one.lineno <= line <= (one.end_lineno or 0)
                ):
                    pending.append(
                        ((*steps, (field, index if isinstance(part, list) else -1)), one)
                    )
    if best:
        yield best


def _entry_dropper(path: _Path, steps: _Steps, entry: int) -> _Change:
    def change(made: ast.Module) -> None:
        node = _at(made, path).value
        for field, index in steps:
            node = getattr(node, field)
            if index >= 0:
                node = node[index]
        if isinstance(node, ast.Dict):
            del node.keys[entry], node.values[entry]
        else:
            del node.elts[entry]

    return change
