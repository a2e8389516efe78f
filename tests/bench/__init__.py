"""The benchmark: how fast `attention_core` is beside other ways to do the same, and the course when it is served.

Run `python -m tests.bench` for the core and `python -m tests.bench app` for the course.
"""
