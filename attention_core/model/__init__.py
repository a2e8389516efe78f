"""A language model made of the equations: trained, asked, and kept in files."""
