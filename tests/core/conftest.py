"""One Hypothesis profile for the core: the same examples on every machine, and no deadline on a busy one."""

from hypothesis import settings

import attention_core  # noqa: F401  before NumPy, so that its products use one thread: two wait for a busy machine

settings.register_profile("core", deadline=None, derandomize=True)
settings.load_profile("core")
