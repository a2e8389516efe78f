"""Tests of the tests: small mistakes are put into a copy of the source, and the tests that cover them must fail."""
