"""The processes that run programs: slots, their queue, and the protocol."""
