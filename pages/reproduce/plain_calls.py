"""Calls of the core as a reader says them: in NumPy where that is as short, by public name, with named arguments."""

import ast
from collections.abc import Callable
from inspect import signature
from typing import Any

import attention_core
from attention_core.experiments.qkv.perturb import dot_products, mix_values
from attention_core.experiments.scaling.random_scores import scale_scores

IN_NUMPY: dict[Callable[..., Any], tuple[ast.operator, bool]] = {  # the operator, and whether the right is transposed
    dot_products: (ast.MatMult(), True),
    mix_values: (ast.MatMult(), False),
    scale_scores: (ast.Div(), False),
}


def expression_of(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class Plainly(ast.NodeTransformer):
    """Says a call of the core in NumPy, or by its public name, where there is one."""

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        self.functions = functions

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node = ast.Call(node.func, [self.visit(argument) for argument in node.args], node.keywords)
        function = self.functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if function in IN_NUMPY and not node.keywords:
            operator, transposed = IN_NUMPY[function]
            left, right = node.args
            return ast.BinOp(left, operator, ast.Attribute(right, "T", ast.Load()) if transposed else right)
        if function is None:
            return node
        arguments, keywords = named(function, node.args)
        called = expression_of(f"core.{function.__name__}") if is_public(function) else node.func
        return ast.Call(called, arguments, [*keywords, *node.keywords])


def named(function: Callable[..., Any], arguments: list[ast.expr]) -> tuple[list[ast.expr], list[ast.keyword]]:
    """Return the arguments of a call, named from the first number on, without those that are None by default."""
    numbers = [i for i, one in enumerate(arguments) if isinstance(one, ast.Constant) and (i or type(one.value) is int)]
    if not numbers or len(arguments) == 1:
        return arguments, []
    first = numbers[0]
    parameters = list(signature(function).parameters.values())[first : len(arguments)]
    return arguments[:first], [
        ast.keyword(parameter.name, one)
        for parameter, one in zip(parameters, arguments[first:], strict=True)
        if not (parameter.default is None and ast.unparse(one) == "None")
    ]


def is_public(function: Callable[..., Any]) -> bool:
    return getattr(attention_core, function.__name__, None) is function
