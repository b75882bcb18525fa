// SPDX-License-Identifier: GPL-2.0-only
/*
 * Durations on the command line.
 *
 * Only what is written down exactly is taken: no sign, no space, no exponent, no
 * hexadecimal, no sum of several.  All arithmetic is on integers, and what does
 * not fit is an error, never a smaller number.
 *
 * A fraction 0.d1d2..dk of a unit of u ns is worked out from its last digit on:
 *
 *	x = 0;  for d = dk .. d1:  x = (x + d * u) / 10
 *
 * Every one of these divisions is exact if, and only if, the result is a whole
 * number of ns.  (It is u * N / 10^k with N = d1..dk; 10 divides u * N just if it
 * divides u * dk, and so on with what is left.)  x never passes u.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "duration.h"

#define MAX_NS	((1ULL << 63) - 1)

static const struct {
	const char *name;
	__u64 ns;
} units[] = {
	{ "", 1000000000ULL },
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000ULL },
	{ "m", 60 * 1000000000ULL },
	{ "h", 3600 * 1000000000ULL },
	{ "d", 86400 * 1000000000ULL },
};

/* The unit's length in ns, 0 if there is no such unit. */
static __u64 unit_ns(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name, units[i].name))
			return units[i].ns;
	return 0;
}

/* strspn() of digits: no locale has a say in it. */
static size_t count_digits(const char *text)
{
	return strspn(text, "0123456789");
}

static int whole_units(const char *digits, size_t count, __u64 unit, __u64 *ns)
{
	__u64 number = 0;

	for (size_t i = 0; i < count; i++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (__u64)(digits[i] - '0'), &number))
			return -ERANGE;
	return __builtin_mul_overflow(number, unit, ns) ? -ERANGE : 0;
}

static int part_of_unit(const char *digits, size_t count, __u64 unit, __u64 *ns)
{
	*ns = 0;
	while (count--) {
		*ns += (__u64)(digits[count] - '0') * unit;
		if (*ns % 10)
			return -EINVAL;
		*ns /= 10;
	}
	return 0;
}

int duration_parse(const char *text, __u64 *ret_ns)
{
	size_t whole = count_digits(text), part = 0;
	const char *fraction = text + whole, *name = fraction;
	__u64 unit, ns, part_ns;
	int ret;

	if (!whole)
		return -EINVAL;
	if (*fraction == '.') {
		fraction++;
		part = count_digits(fraction);
		if (!part)
			return -EINVAL;
		name = fraction + part;
	}
	unit = unit_ns(name);
	if (!unit)
		return -EINVAL;
	ret = part_of_unit(fraction, part, unit, &part_ns);
	if (!ret)
		ret = whole_units(text, whole, unit, &ns);
	if (ret)
		return ret;
	if (ns > MAX_NS || part_ns > MAX_NS - ns)
		return -ERANGE;
	*ret_ns = ns + part_ns;
	return 0;
}

const char *duration_error(int error)
{
	if (error == -ERANGE)
		return "is longer than 2^63 - 1 ns (292 years)";
	return "is no duration (such as 1800s, 1.5h, 250ms; units: ns us ms s m h d)";
}
