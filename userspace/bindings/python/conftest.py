# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Tests use the library of this tree, if it is built and TWHEEL_LIBRARY names no other."""
import os
import pathlib

for directory in pathlib.Path(__file__).resolve().parents:
    built = directory / "build/userspace/libtwheel.so"
    if built.exists():
        os.environ.setdefault("TWHEEL_LIBRARY", str(built))
