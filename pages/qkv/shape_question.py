"""A question on the shape of a product, in a model larger than the one in view."""

from dataclasses import replace

import numpy as np

from attention_core.experiments.qkv.one_head import HeadMatrices
from pages.heads.matrices import Scene
from pages.look.html import prose
from pages.questions.kinds import Choice

LARGER = (512, 64, 48)  # widths of X, of Q and K, and of V, in the model that is asked about: no picture shows them


def enlarged(scene: Scene) -> Scene:
    """Return a scene with the same words and the widths of a larger model."""
    d_model, d_k, d_v = LARGER
    head = HeadMatrices(*(np.zeros((d_model, width)) for width in (d_k, d_k, d_v)))
    return replace(scene, x=np.zeros((len(scene.words), d_model)), head=head)


def shape_question(scene: Scene, variant: int) -> Choice:
    """Ask for the shape of one of the products on the way from X to the output."""
    (length, d_model), d_k, d_v = scene.x.shape, scene.head.w_q.shape[1], scene.head.w_v.shape[1]
    product, left, left_shape, right, right_shape = (
        ("Q = X · W_Q", "X", (length, d_model), "W_Q", (d_model, d_k)),
        ("V = X · W_V", "X", (length, d_model), "W_V", (d_model, d_v)),
        ("Q · Kᵀ", "Q", (length, d_k), "Kᵀ (K transposed)", (d_k, length)),
        ("their product, the output", "The matrix of attention weights", (length, length), "V", (length, d_v)),
    )[variant % 4]
    (rows, middle), columns = left_shape, right_shape[1]
    reasons = {
        (columns, rows): f"You swapped rows and columns. The left matrix gives the rows, {rows}.",
        left_shape: f"You kept the shape of the left matrix. The right one gives the columns, {columns}.",
        right_shape: f"You kept the shape of the right matrix. The left one gives the rows, {rows}.",
        (middle, middle): f"You kept the two inner numbers. Keep the outer ones, {rows} and {columns}.",
    }
    reasons.pop((rows, columns), None)
    if not reasons:  # all sizes are the same
        reasons[rows, middle + columns] = f"You added two widths. Keep the outer numbers, {rows} and {columns}."
    text = prose(
        f"Take a larger model. {left} is {rows} × {middle} (rows × columns), {right} is {middle} × {columns}. "
        f"What is the shape of {product}?"
    )
    why = (
        f"({rows} × {middle}) · ({middle} × {columns}) = {rows} × {columns}. The {middle} in the middle is summed over."
    )
    mistakes = {f"{height} × {width}": reason for (height, width), reason in reasons.items()}
    right = f"{rows} × {columns}"
    return Choice.of("shape", text, right, why, mistakes, variant)
