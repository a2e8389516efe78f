"""The benchmark: how fast `attention_core` is beside other ways to do the same. Run `python -m tests.bench`."""
