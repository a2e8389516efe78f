"""Try mutants: `nice python -m tests.mutate --n 40 --seed 1 --kinds right sign --only pages/scaling`."""

import argparse
import random
import tempfile
from collections import Counter
from itertools import chain, islice, zip_longest
from pathlib import Path

from tests.mutate.covers import files
from tests.mutate.equivalent import reason_of
from tests.mutate.mutants import KINDS, ROOT, Mutant, mutants
from tests.mutate.sample import SAMPLE
from tests.mutate.trial import Trials


def sample(seed: int, n: int, kinds: list[str], only: list[str]) -> list[Mutant]:
    """Return mutants of all kinds by turns, in an order seeded by a number."""
    every = [
        path
        for room in ("attention_core", "pages")
        for kind in ("py", "toml", "md")
        for path in files(room, f"*.{kind}")
    ]
    paths = [path for path in every if path.startswith(tuple(only))]
    found = [mutant for path in paths for mutant in mutants(path)]
    by_kind = [[mutant for mutant in found if mutant.kind == kind] for kind in kinds]
    for same in by_kind:
        random.Random(seed).shuffle(same)
    return list(islice((mutant for mutant in chain(*zip_longest(*by_kind)) if mutant and mutant.is_one()), n))


def fixed() -> list[Mutant]:
    places = [
        ((ROOT / path).read_bytes().index(before.encode()), path, before, after) for path, before, after in SAMPLE
    ]
    return [Mutant(path, "sample", start, before, after) for start, path, before, after in places]


def main(folder: Path) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--only", nargs="+", default=["attention_core/", "pages/"], help="beginnings of paths")
    parser.add_argument("--sample", action="store_true", help="the fixed mutants of every night")
    given = parser.parse_args()
    ground = Trials(folder)
    tried = fixed() if given.sample else sample(given.seed, given.n, given.kinds, given.only)
    killers: dict[Mutant, str] = {}
    while mutants_left := [one for one in tried if one not in killers or killers[one] in ground.sick]:
        for mutant in mutants_left:
            known = reason_of(mutant)
            killers[mutant] = "" if known else ground.killer(mutant)
            fate = "equivalent" if known else "killed" if killers[mutant] else "survived"
            print(f"{fate:10} {mutant.kind:10} {mutant}  [{known or killers[mutant]}]", flush=True)
        if not ground.is_sick(sorted({one for one in killers.values() if one.startswith("tests/")} - ground.sick)):
            break
    counts = Counter(
        (one.kind, "equivalent" if reason_of(one) else "killed" if killers[one] else "survived") for one in tried
    )
    fates = ("killed", "survived", "equivalent")
    print(f"\n| kind | {' | '.join(fates)} |\n|---|--:|--:|--:|")
    for kind in (kind for kind in (*KINDS, "sample") if any(counts[kind, fate] for fate in fates)):
        print(f"| {kind} | {' | '.join(str(counts[kind, fate]) for fate in fates)} |")
    for test in sorted(ground.sick):
        print(f"red without any mutant: {test}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="mutants") as folder:
        main(Path(folder))
