// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The inline functions of the header once more, as symbols of the library.
 *
 * A program in C or C++ has them inline and never calls these.  Other languages
 * see symbols only, and nothing shall be out of their reach.  The header is the one
 * source of both forms: here it is read without the two words that make a function
 * inline.  What it includes comes first, for it stays as it is.
 */
#include <errno.h>
#include <linux/twheel.h>
#include <string.h>
#include <twheel/barrier.h>

#define static
#define inline

/* They are defined where they are declared. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#include <twheel.h>
