"""The program: `python -I -B pages/exercises/sandbox zygote FD`, or `once`; its folder is its path."""

import sys

import worker

if __name__ == "__main__":
    worker.main(sys.argv[1:])
