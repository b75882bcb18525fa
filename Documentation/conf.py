# SPDX-License-Identifier: GPL-2.0-only
"""The Sphinx site; "make docs" builds it, and any warning is an error.

Structs, enums and functions are described once, by the kernel-doc comments of the
headers.  The kernel-doc directive that puts them here is the kernel's own, taken
from the source tree that the check uses, too.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINUX = subprocess.run([os.path.join(ROOT, "scripts/kernel"), "source"], check=True,
                       stdout=subprocess.PIPE, text=True).stdout.strip()
sys.path.insert(0, os.path.join(LINUX, "Documentation/sphinx"))

project = "twheel"
copyright = "the twheel authors"  # pylint: disable=redefined-builtin
with open(os.path.join(ROOT, "VERSION"), encoding="ascii") as file:
    version = release = file.read().strip()

extensions = ["kerneldoc"]
kerneldoc_bin = os.path.join(LINUX, "scripts/kernel-doc")
kerneldoc_srctree = ROOT

exclude_patterns = ["figures/*"]
primary_domain = "c"
highlight_language = "none"
smartquotes = False

# A reference to something of ours has to lead somewhere (-n); the kernel's and the
# C library's names, and integer types, are described elsewhere.
nitpick_ignore_regex = [("c:.*", r"(?!twheel|TWHEEL).*")]

html_theme = "alabaster"
html_theme_options = {"description": "a timer service for programs with very many timeouts",
                      "page_width": "70em", "fixed_sidebar": True}
html_copy_source = False
html_show_copyright = False
