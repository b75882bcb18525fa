/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef SHIM_ASM_PAGE_H
#define SHIM_ASM_PAGE_H

/* What the directory of the words counts in; the machine's own may be larger. */
#define PAGE_SIZE 4096UL

#endif /* SHIM_ASM_PAGE_H */
