// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * The inline functions of the header once more, as symbols of the library.
 *
 * A program in C or C++ has them inline and never calls these.  Other languages
 * see symbols only, and must be able to reach every function.  The header is the one
 * source of both forms: here it is read without the two words that make a function
 * inline.  Its own includes come first, because they must not be changed in this way.
 */
#include <errno.h>
#include <linux/twheel.h>
#include <string.h>
#include <twheel/barrier.h>

#define static
#define inline

/* The header both declares and defines them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#include <twheel.h>
