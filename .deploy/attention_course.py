"""The course as a program: `attention-course` starts it from where it is installed, and opens it in a browser."""

import sys
from importlib.util import find_spec
from pathlib import Path

COURSE = Path(__file__).with_name("streamlit_app.py")
NEEDS = 'attention-course needs what the course is drawn with: pip install "attention-from-scratch[course]"'


def main() -> None:
    """Run the course; what follows the command is for Streamlit, as in `attention-course --server.port 8600`."""
    if find_spec("streamlit") is None:
        sys.exit(NEEDS)
    from streamlit.web.cli import main as streamlit

    sys.argv = ["streamlit", "run", str(COURSE), *sys.argv[1:]]
    streamlit()
