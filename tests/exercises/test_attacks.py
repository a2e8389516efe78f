"""Attacks: nothing is read, written, reached, started or learned, and nobody after them notices."""

import os
import sys
from collections import Counter
from itertools import product

import pytest

from tests.exercises.attacks import HARMLESS, OF_RIGHTS, REFUSED, attacks
from tests.exercises.grounds import assault

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="both layers stand on Linux alone")
SAMPLED = ("files_read", "files_write", "secrets", "network", "processes", "internals_dunder", "numpy_doors")
SAMPLED += ("tampering", "influence", "memory")


def test_there_are_attacks_of_every_family():
    assert len(set(attacks())) >= 300
    families = Counter(family for family, _ in attacks())
    assert len(families) >= 17
    assert min(families.values()) >= 15


def test_no_attack_of_a_sample_gets_anywhere(grounds, rng):
    every = attacks(**grounds.places())
    sample = [[pair for pair in every if pair[0] == family][7] for family in SAMPLED]
    judge(grounds, assault(rng, "both", sample, n_slots=1))


@pytest.mark.nightly
@pytest.mark.parametrize(("layers", "who"), [*product(["both", "bare"], ["as we are", "as nobody"])])
def test_no_attack_gets_anywhere(grounds, rng, layers, who):
    """`bare` leaves out the first layer: the whole of Python, the whole of NumPy, and only the kernel's limits."""
    if who == "as nobody" and os.getuid() != 0:
        pytest.skip("we are nobody special already")
    nobody = who == "as nobody"
    every = [pair for pair in attacks(**grounds.places()) if not nobody or pair[0] in OF_RIGHTS]
    outcomes = assault(rng, layers + " nobody" * nobody, every)
    assert len(outcomes) >= 300
    judge(grounds, outcomes, first_layer=layers == "both")


def judge(grounds, outcomes, first_layer=True):
    """Require that nothing was reached, learned or passed; the first layer refuses what is on no list."""
    assert grounds.reached() == []
    assert [(family, source, secrets) for family, source, _, secrets in outcomes if secrets] == []
    assert [(family, source) for family, source, found, _ in outcomes if found.status == "passed"] == []
    if first_layer:
        ran = [(family, source, found) for family, source, found, _ in outcomes if found.status != "refused"]
        open_doors = [(family, source) for family, source, _ in ran if family in REFUSED]
        assert [(family, source) for family, source in open_doors if not any(part in source for part in HARMLESS)] == []
        crashed = [(family, source) for family, source, found in ran if found.status == "crashed"]
        assert {family for family, _ in crashed} <= {"c_stack", "memory"}
