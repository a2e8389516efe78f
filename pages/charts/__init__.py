"""Charts: arrays and labels in; a picture's specification, its data and its sentence out. Altair, and no Streamlit.

A specification is built by Altair once per process and kept; what travels when a student moves a control is the data
alone. It picks its own colours by the page behind it, so that one specification serves light and dark.
"""

import sys

if sys.flags.optimize > 1:
    raise ImportError("Altair reads its own docstrings, which `python -OO` drops. Start Python without -OO.")
