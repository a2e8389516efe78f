"""The shipped models, and the commands that rebuild them."""
