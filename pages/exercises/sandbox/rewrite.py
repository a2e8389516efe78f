"""Two changes to a program: annotations fall away, and imports become assignments."""

import ast

import policy

HIDDEN = "__module_"  # before the names under which modules stand; no student can write them


class WithoutAnnotations(ast.NodeTransformer):
    """Drops annotations, so that any are legal and none is evaluated."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Keep the argument alone."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Keep the function without what it says it returns."""
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """Make it a plain assignment; without a value, nothing at all."""
        self.generic_visit(node)
        plain = ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
        return ast.copy_location(plain, node)


class WithoutImports(ast.NodeTransformer):
    """Turns checked imports into assignments, so that nothing is ever imported."""

    def visit_Import(self, node: ast.Import) -> list[ast.stmt] | ast.stmt:
        """`import numpy as np` becomes `np = ` the safe stand-in for NumPy."""
        wanted = [alias for alias in node.names if alias.name not in policy.DROPPED]
        pairs = [
            (alias.asname or root(alias.name), alias.name if alias.asname else root(alias.name)) for alias in wanted
        ]
        return assignments(node, [(name, hidden_module(module)) for name, module in pairs])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt] | ast.stmt:
        """`from numpy import exp` becomes `exp = ` that of the safe stand-in."""
        if node.module in policy.DROPPED:
            return ast.copy_location(ast.Pass(), node)
        values = [ast.Attribute(hidden_module(node.module), alias.name, ast.Load()) for alias in node.names]
        names = [alias.asname or alias.name for alias in node.names]
        return assignments(node, list(zip(names, values, strict=True)))


def root(module: str) -> str:
    """Return the first part of a dotted name, which is what a plain import binds."""
    return module.partition(".")[0]


def hidden_module(module: str) -> ast.expr:
    """Return the name of a module in the program's globals."""
    return ast.Name(hidden_name(module), ast.Load())


def hidden_name(module: str) -> str:
    """Return a name that no student can write: it begins with two underscores."""
    return HIDDEN + module.replace(".", "_")


def assignments(node: ast.stmt, pairs: list[tuple[str, ast.expr]]) -> list[ast.stmt] | ast.stmt:
    """Return one assignment for each name, in the place of a statement."""
    if not pairs:
        return ast.copy_location(ast.Pass(), node)
    made = [ast.Assign([ast.Name(name, ast.Store())], value) for name, value in pairs]
    return [ast.copy_location(statement, node) for statement in made]
