# SPDX-License-Identifier: GPL-2.0-only
# For people.  Kbuild is what the kernel's build reads.

KDIR	?= /lib/modules/$(shell uname -r)/build
PREFIX	?= /usr/local
DESTDIR	?=
OUT	:= build

include userspace/settings.mk

# Other makes run elsewhere, so relative names are made absolute here: one DESTDIR
# is one tree.
override DESTDIR := $(abspath $(DESTDIR))
override KDIR := $(abspath $(KDIR))

parts	:= static models host user engine kunit selftests fuzz kcsan rt longtime replay bench load

help:
	@echo 'make demo [LOG=FILE] [IDLE=1800s] [SPEED=20000]'
	@echo '                  replay a request log in a virtual machine (more: scripts/demo)'
	@echo 'make check        everything below; the last line is the sum'
	@echo 'make check-static     checkpatch, sparse, warnings, kernel-doc, names, spelling'
	@echo 'make check-models     the Promela models, to completion'
	@echo 'make check-host       the wheel in user space, under sanitizers'
	@echo 'make check-user       library and command'
	@echo 'make check-engine     the engine in the process, and the Python module'
	@echo 'make check-kunit      KUnit, in a guest with the debug kernel'
	@echo 'make check-selftests  selftests, in guests with the debug and the stock kernel'
	@echo 'make check-fuzz       the fuzzer for half a minute, in a guest with the debug kernel'
	@echo 'make check-kcsan      selftests that race, in a guest with the KCSAN kernel'
	@echo 'make check-rt         selftests, in a guest with a PREEMPT_RT kernel'
	@echo 'make check-longtime   years of timers, in user-mode Linux that skips idle time'
	@echo 'make check-replay     a real log, the demo'
	@echo 'make check-bench      instructions of all ops, beside timerfd and the kept ones'
	@echo 'make check-load       the longest that softirqs are off, in instructions'
	@echo 'make check-commits [BASE=origin/main]'
	@echo '                  build each commit since BASE by itself (a minute each)'
	@echo 'make scenarios    the faults of other timer facilities that are tested here,'
	@echo '                  with the tests and what they said in the last check'
	@echo 'make fuzz [SECONDS=600] [SEED=S]'
	@echo '                  the fuzzer for longer, or once more with the seed of a finding'
	@echo 'make fuzz-engine [SECONDS=600]'
	@echo '                  sequences of ops on the engine in the process, beside a model'
	@echo 'make coverage     which lines of kmod/ run in all tests; at least 95 %'
	@echo 'make load         10^7 timers, 10^6 of one instant, 64 users at their limits, consumers'
	@echo '                  that do not read: what others feel of it (5 to 10 minutes)'
	@echo 'make bench [ROUNDS=3] the module beside timerfd, POSIX timers and io_uring; the wheel'
	@echo '                      beside what programs use; results.json and plots in build/bench'
	@echo '                      (15 minutes a round; needs a quiet machine)'
	@echo 'make bench-quick      the floors of the module, and the kept figures (20 s)'
	@echo 'make bench-keep       keep its figures, after a change that they show'
	@echo 'make docs         Documentation/ as a site, build/docs/html/index.html'
	@echo 'make              the module for KDIR, the library and the command, in build/'
	@echo 'make userspace    the library and the command only'
	@echo 'make install      these, for DESTDIR, PREFIX and KDIR; the manual; a udev rule'
	@echo 'make uninstall    remove what make install with the same settings puts there'
	@echo 'make setup        the Debian packages that all of this needs (done by the others, too)'
	@echo 'make clean        remove build/; kernels stay in ~/.cache/twheel'
	@echo
	@echo 'KDIR is $(KDIR)'

# What a variable is given is not expanded: a log may have a name such as a$b.log.
demo_variables := LOG IDLE SPEED SORT MAX_STEP_BACK TIME_FIELD CLIENT_FIELD

demo:
	@scripts/demo $(foreach v,$(demo_variables),$(if $(value $v),$(call quoted,$v=$(value $v))))

check:
	@scripts/check

$(parts:%=check-%): check-%:
	@scripts/check $*

check-commits:
	@scripts/check-commits $(call quoted,$(or $(BASE),origin/main))

scenarios:
	@scripts/scenarios

fuzz:
	@scripts/setup all
	@scripts/fuzz $(call quoted,$(or $(SECONDS),600)) $(call quoted,$(SEED))

fuzz-engine:
	@scripts/setup check
	@$(MAKE) -s -C selftests/process/fuzz OUT=$(CURDIR)/$(OUT)/fuzz-engine \
		SECONDS=$(call quoted,$(or $(SECONDS),600)) check

coverage:
	@scripts/setup all
	@scripts/coverage

bench:
	@bench/run $(if $(ROUNDS),-r $(call quoted,$(ROUNDS)))

load:
	@scripts/setup all
	@bench/load/run

bench-quick:
	@scripts/setup all
	@bench/guest/run --quick
	@bench/gate

bench-keep:
	@scripts/setup all
	@bench/guest/run --quick
	@bench/gate --keep

all: module userspace

# Kbuild writes beside the sources, so it is given a copy.
module_copy := $(CURDIR)/$(OUT)/module

module:
	@mkdir -p $(module_copy)
	@cp -a --update Kbuild kmod uapi VERSION $(module_copy)/
	$(MAKE) -C $(or $(KDIR),$(error KDIR is empty; it names the built kernel)) \
		M=$(module_copy) modules

userspace:
	$(MAKE) -C userspace OUT=$(CURDIR)/$(OUT)/userspace PREFIX=$(PREFIX)

install: install-module install-userspace install-udev

uninstall: uninstall-udev uninstall-userspace uninstall-module

# Where the module goes, below lib/modules/RELEASE, as newer kernels have it.  The
# release is what the kernel calls itself; Debian's kernel.release is another.
moddir	:= updates
release	= $(or $(shell sed -n 's/^.define UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null),$(error KDIR, $(KDIR), is no built \
	kernel, so where in $(DESTDIR)/lib/modules twheel.ko belongs is unknown: name its KDIR))
installed = $(DESTDIR)/lib/modules/$(release)/$(moddir)/kmod

# What a stage holds is indexed when it has been put in its place.
ifeq ($(DESTDIR),)
depmod	= umask 022 && PATH="$$PATH:/usr/sbin:/sbin" depmod $(release)
endif

# The kernel's makefiles copy by the umask, where install(1) is told the mode.
install-module: module
	umask 022 && $(MAKE) -C $(KDIR) M=$(module_copy) INSTALL_MOD_PATH=$(DESTDIR) \
		INSTALL_MOD_DIR=$(moddir) DEPMOD=true modules_install
	chmod 644 $(installed)/twheel.ko*
	$(depmod)

# Known before anything is removed.
ifneq ($(filter uninstall uninstall-module,$(MAKECMDGOALS)),)
release := $(release)
endif

uninstall-module:
	rm -f $(installed)/twheel.ko*
	[ ! -d $(installed) ] || rmdir --ignore-fail-on-non-empty $(installed)
	$(depmod)

install-userspace: userspace
install-userspace uninstall-userspace: %-userspace:
	$(MAKE) -C userspace OUT=$(CURDIR)/$(OUT)/userspace DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) $*

# The device is root's; this gives it to the group "twheel" (addgroup --system twheel).
install-udev:
	install -d $(DESTDIR)/lib/udev/rules.d
	install -m 644 userspace/udev/60-twheel.rules $(DESTDIR)/lib/udev/rules.d/

uninstall-udev:
	rm -f $(DESTDIR)/lib/udev/rules.d/60-twheel.rules

# Warnings are errors; references of the C domain have to lead somewhere.
docs:
	@scripts/setup docs
	@sphinx-build -q -W --keep-going -n -d $(OUT)/docs/doctrees Documentation $(OUT)/docs/html

setup:
	@scripts/setup all

clean:
	rm -rf $(OUT)

.DEFAULT_GOAL := all
.PHONY: help demo check check-commits scenarios fuzz fuzz-engine coverage load bench bench-quick bench-keep \
	$(parts:%=check-%) docs all module userspace install install-module install-userspace \
	install-udev uninstall uninstall-module uninstall-userspace uninstall-udev setup clean
