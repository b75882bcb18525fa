# SPDX-License-Identifier: MIT OR GPL-2.0-only
#
# What may stand in the settings that name directories; the Makefile above includes this,
# too.  make and Kbuild split names at spaces, and recipes hand them to the shell and to
# sed, to which "'", "&" or "|" mean something else than a name.  An odd name is refused
# here, before anything runs.

# One word of the shell's, whatever is in it.
quoted = '$(subst ','\'',$(1))'

# The characters of a name that are not taken.  Bytes beyond ASCII are letters.
odd = $(shell printf %s $(call quoted,$(1)) | LC_ALL=C tr -d 'A-Za-z0-9_./+:~@%=\200-\377-')

ifneq ([$(call odd,$(CURDIR)$(DESTDIR)$(PREFIX)$(KDIR))],[])
$(error CURDIR, DESTDIR, PREFIX and KDIR may have letters, digits and _./+:~@%=- only: \
	$(CURDIR), $(DESTDIR), $(PREFIX), $(KDIR))
endif

ifneq ($(filter-out /%,$(PREFIX)),)
$(error PREFIX is where things will be found when they are used, so it begins with /: $(PREFIX))
endif
