"""A question on the shape of a product, in a model larger than the one in view."""

from pages.look.html import prose
from pages.questions.kinds import Choice

LARGER = (512, 64, 48)  # widths of X, of Q and K, and of V, in the model that is asked about: no picture shows them


def shape_question(length: int, variant: int) -> Choice:
    """Ask for the shape of one of the products on the way from X to the output, of as many words as are in view."""
    d_model, d_k, d_v = LARGER
    product, left, left_shape, right, right_shape = (
        ("Q = X · W_Q", "X", (length, d_model), "W_Q", (d_model, d_k)),
        ("V = X · W_V", "X", (length, d_model), "W_V", (d_model, d_v)),
        ("Q · Kᵀ", "Q", (length, d_k), "Kᵀ (K transposed)", (d_k, length)),
        ("their product, the output", "The matrix of attention weights", (length, length), "V", (length, d_v)),
    )[variant % 4]
    (rows, middle), columns = left_shape, right_shape[1]
    mistakes = {
        (columns, rows): f"You swapped rows and columns. The left matrix gives the rows, {rows}.",
        left_shape: f"You kept the shape of the left matrix. The right one gives the columns, {columns}.",
        right_shape: f"You kept the shape of the right matrix. The left one gives the rows, {rows}.",
        (middle, middle): f"You kept the two inner numbers. Keep the outer ones, {rows} and {columns}.",
    }
    mistakes.pop((rows, columns), None)
    text = prose(
        f"Take a larger model. {left} is {rows} × {middle} (rows × columns), {right} is {middle} × {columns}. "
        f"What is the shape of {product}?"
    )
    why = (
        f"({rows} × {middle}) · ({middle} × {columns}) = {rows} × {columns}. The {middle} in the middle is summed over."
    )
    wrong = {f"{height} × {width}": reason for (height, width), reason in mistakes.items()}
    return Choice.of("shape", text, f"{rows} × {columns}", why, wrong, variant)
