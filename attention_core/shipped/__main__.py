"""`python -m attention_core.shipped english` retrains a shipped model and writes its files."""

from __future__ import annotations

import argparse
from pathlib import Path

from attention_core.experiments.language.smaller_caches import write_losses_of_caches
from attention_core.experiments.language.story_probes import write_grades
from attention_core.experiments.positions.beyond import write_losses_beyond
from attention_core.shipped.files import make
from attention_core.shipped.plans import FOLDER, MODELS, STORIES
from attention_core.shipped.runs import keep_memory
from attention_core.text.stories import write_pieces


def main() -> None:
    """Train the named models, or all, and print their losses."""
    parser = argparse.ArgumentParser(prog="python -m attention_core.shipped", description="Train models that ship.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"all, or some of {', '.join(MODELS)}")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="folder for the files (default: that of the shipped ones)"
    )
    parser.add_argument("--workers", type=int, default=2, help="number of threads; it does not change the files")
    parser.add_argument("--beyond", action="store_true", help="train and measure only the models of short texts")
    parser.add_argument("--caches", action="store_true", help="train and measure only the models of smaller KV caches")
    arguments = parser.parse_args()
    keep_memory()
    if unknown := set(arguments.names) - set(MODELS):
        parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    arguments.folder.mkdir(exist_ok=True)
    if arguments.beyond:
        write_losses_beyond(arguments.folder)
        return
    if arguments.caches:
        write_losses_of_caches(arguments.folder)
        return
    for name in arguments.names or MODELS:
        if name == STORIES.name and arguments.folder == FOLDER:
            write_pieces()  # which it reads, wherever the model goes
        found = make(name, arguments.folder, arguments.workers)
        print(
            f"{name}: loss {found[0].learned:.4f} at the first step, validation loss {found[-1].tested:.4f} at the end"
        )
        if name == STORIES.name:
            grades = write_grades(arguments.folder)
            print(*(f"{kind} {scores[-1].rate:.3f}" for kind, scores in grades.scores.items()), sep=", ")


if __name__ == "__main__":
    main()
