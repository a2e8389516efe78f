"""The first layer: the parsed program is held against the lists of what is allowed, and made ready to run.

The tree is checked, never the text: Python reads `ｏｐｅｎ` as `open`, so only the tree has names in their plain form.
"""

import ast
import warnings
from types import CodeType

import policy
import source_limits
from rewrite import WithoutAnnotations, WithoutImports, root

FILE = "<answer>"  # the file name of students' code in tracebacks


class Refused(Exception):
    """A program that is refused: the line, where one is to blame, and a sentence."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(f"Line {line}: {message}" if line else message)


def prepare(source: str) -> CodeType:
    """Return the program ready to run, or raise Refused."""
    if found := source_limits.problem(source):
        raise Refused(found)
    tree = read_with(ast.parse, source, FILE)
    measure(tree)
    tree = WithoutAnnotations().visit(tree)
    Checker(tree).check()
    tree = ast.fix_missing_locations(WithoutImports().visit(tree))
    return read_with(compile, tree, FILE, "exec", 0, True)


def read_with(read, *arguments):
    """Return what `read` makes of a program, or refuse it with Python's own message."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(*arguments)
    except SyntaxError as error:
        reason = (error.msg or "invalid syntax").split("\n")[0][:200]
        raise Refused(f"Python could not read line {error.lineno or 0}: {reason}.") from None
    except (ValueError, OverflowError, RecursionError, MemoryError):
        raise Refused("Python could not read this. It is nested too deeply, or it is not plain text.") from None


def measure(tree: ast.AST) -> None:
    """Refuse a tree that is too deep or too large for what walks it next."""
    level, count = [tree], 0
    for _ in range(policy.MAX_DEPTH):
        count += len(level)
        if count > policy.MAX_NODES:
            raise Refused("This program is very long. The exercise needs far less.")
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise Refused("This is nested too deeply. Use more lines, with names for the parts.")


class Checker:
    """Checks every node of a program against the allowlists."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.modules = dict(policy.AT_HAND)  # the names of modules, wherever they were imported
        self.defined: set[str] = set()

    def check(self) -> None:
        """Raise Refused at the first node that is not allowed, from the top of the program down."""
        nodes = sorted(
            ast.walk(self.tree), key=lambda node: getattr(node, "lineno", source_limits.MAX_CHARS)
        )  # parts last
        for node in nodes:
            self.check_kind(node)
        for node in nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.check_import(node)
            self.defined |= set(names_bound(node))
        for node in nodes:
            for name in [*names_bound(node), *names_mentioned(node)]:
                self.check_binding(name, line_of(node))
            if isinstance(node, ast.Name):
                self.check_name(node)
            elif isinstance(node, ast.Attribute):
                self.check_attribute(node)
            elif isinstance(node, ast.With):
                self.check_with(node)
            elif isinstance(node, ast.Constant):
                check_constant(node)

    def check_kind(self, node: ast.AST) -> None:
        """Refuse kinds of syntax that the exercises do not need."""
        kind = type(node).__name__
        if kind not in policy.NODES:
            raise Refused(policy.WHY_KIND.get(kind, "This Python syntax is not available here."), line_of(node))
        if getattr(node, "decorator_list", None):
            raise Refused("Decorators (@...) are not needed here.", line_of(node))
        if getattr(node, "type_params", None):
            raise Refused("Type parameters are not needed here.", line_of(node))

    def check_import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Allow imports of NumPy and mathematics, and remember under which names modules stand."""
        line = line_of(node)
        if isinstance(node, ast.ImportFrom):
            self.check_import_from(node)
            return
        for alias in node.names:
            if alias.name in policy.DROPPED:
                continue
            if alias.name not in policy.MODULES:
                raise Refused(unavailable(f"import {alias.name}"), line)
            if alias.asname:
                self.name_module(alias.asname, alias.name, line)
            else:
                self.name_module(root(alias.name), root(alias.name), line)

    def check_import_from(self, node: ast.ImportFrom) -> None:
        """Allow only what stands in a module's own list."""
        line, module = line_of(node), node.module or "."
        if node.level or module not in policy.MODULES | dict.fromkeys(policy.DROPPED):
            raise Refused(unavailable(f"from {'.' * node.level}{node.module or ''} import ..."), line)
        for alias in node.names:
            if alias.name == "*":
                raise Refused(
                    f"Name what you import, because from {module} import *, with a star, is not available here.", line
                )
            if module in policy.DROPPED:
                continue
            if alias.name not in policy.MODULES[module]:
                raise Refused(f"{module}.{alias.name} is not available in these exercises.", line)
            if inner := policy.SUBMODULES.get((module, alias.name)):
                self.name_module(alias.asname or alias.name, inner, line)

    def name_module(self, name: str, module: str, line: int) -> None:
        """Record that a name is a module, for the whole program."""
        if self.modules.setdefault(name, module) != module:
            raise Refused(f"`{name}` is already the module {self.modules[name]}. Choose another name.", line)

    def check_binding(self, name: str, line: int) -> None:
        """Refuse names that the program may not give to its own values."""
        if is_dunder(name):
            raise Refused(about_dunder(name), line)
        if name in self.modules:
            raise Refused(f"`{name}` is the module {self.modules[name]}. Choose another name for your own value.", line)

    def check_name(self, node: ast.Name) -> None:
        """Refuse well-known names that lead out of the exercise, unless the program defines them itself."""
        if is_dunder(node.id) and (node.id not in policy.DUNDER_NAMES or not isinstance(node.ctx, ast.Load)):
            raise Refused(about_dunder(node.id), line_of(node))
        if node.id in policy.WHY_NAME and node.id not in self.defined:
            why = policy.WHY_NAME[node.id]
            raise Refused(f"`{node.id}` is not available here, because {why}.", line_of(node))

    def check_attribute(self, node: ast.Attribute) -> None:
        """Allow a module's own list after its name, and a list of methods after anything else; reading alone."""
        line, name = line_of(node), node.attr
        if is_dunder(name):
            raise Refused(about_dunder(name), line)
        if not isinstance(node.ctx, ast.Load):
            raise Refused(
                f"Setting .{name} is not allowed here. Make a new array instead "
                "(for example with np.reshape or np.where).",
                line,
            )
        module = self.module_of(node.value)
        if module and name not in policy.MODULES[module]:
            raise Refused(f"{ast.unparse(node.value)}.{name} is not available in these exercises.", line)
        if not module and name not in policy.METHODS:
            why = policy.WHY_ATTRIBUTE.get(name)
            raise Refused(f".{name} is not available in these exercises" + (f": {why}." if why else "."), line)

    def module_of(self, node: ast.expr) -> str | None:
        """Return which module an expression names, if it names one."""
        if isinstance(node, ast.Name):
            return self.modules.get(node.id)
        if isinstance(node, ast.Attribute) and (outer := self.module_of(node.value)):
            return policy.SUBMODULES.get((outer, node.attr))
        return None

    def check_with(self, node: ast.With) -> None:
        """Allow `with` for NumPy's settings alone."""
        for item in node.items:
            call = item.context_expr
            function = call.func if isinstance(call, ast.Call) else None
            if not (
                isinstance(function, ast.Attribute)
                and function.attr in policy.CONTEXTS
                and self.module_of(function.value) == "numpy"
            ):
                raise Refused(
                    "Here, with can be used for np.errstate(...) and np.printoptions(...) only.", line_of(node)
                )


def check_constant(node: ast.Constant) -> None:
    """Refuse constants that are too large, or of no use here."""
    value = node.value
    if isinstance(value, bytes):
        raise Refused('Bytes (b"...") are not needed here.', line_of(node))
    if isinstance(value, str) and len(value) > policy.MAX_STRING:
        raise Refused(f"A piece of text may have at most {policy.MAX_STRING:,} characters here.", line_of(node))
    if isinstance(value, int) and abs(value) >= 10**policy.MAX_INTEGER_DIGITS:
        raise Refused(f"A whole number may have at most {policy.MAX_INTEGER_DIGITS} digits here.", line_of(node))


def names_bound(node: ast.AST) -> list[str]:
    """Return the names that a node binds. Imports have rules of their own: they count for functions only."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.FunctionDef | ast.ExceptHandler):
        return [node.name] if node.name else []
    if isinstance(node, ast.ImportFrom) and node.module in policy.MODULES:
        taken = [alias for alias in node.names if (node.module, alias.name) not in policy.SUBMODULES]
        return [alias.asname or alias.name for alias in taken]
    return []


def names_mentioned(node: ast.AST) -> list[str]:
    """Return the names that a node holds as text: in `global`, keywords and imports."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        return list(node.names)
    if isinstance(node, ast.keyword) and node.arg and is_dunder(node.arg):
        return [node.arg]
    if isinstance(node, ast.alias) and is_dunder(node.asname or node.name):
        return [node.asname or node.name]
    return []


def is_dunder(name: str) -> bool:
    return name.startswith("__") or name.endswith("__")


def about_dunder(name: str) -> str:
    return f"Names that start or end with two underscores ({name}) are not available here."


def unavailable(what: str) -> str:
    return f"`{what}` is not available. These exercises use numpy and math only."


def line_of(node: ast.AST) -> int:
    """Return the line of a node, 0 where it has none."""
    return getattr(node, "lineno", 0)
