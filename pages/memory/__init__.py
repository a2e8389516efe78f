"""Questions that are answered from memory: at the end of a lesson, and at the beginning of the next one."""
