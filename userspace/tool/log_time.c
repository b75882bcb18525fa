// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times as they stand in logs; see log-formats.toml.
 *
 * timegm() is not used: it takes 30 February for 1 March, and has 32 bits on some
 * machines.
 */
#include <stdlib.h>
#include <string.h>

#include "log_time.h"
#include "tool.h"

#define FIRST_YEAR	1971
#define LAST_YEAR	2199
#define MAX_SECOND	(1ULL << 33)	/* 272 years; times 10^9 it fits 64 bits */

/* @month and @day count from 1; @zone is in minutes, @fraction in ns. */
struct stamp {
	int year, month, day, hour, minute, second, zone;
	__u64 fraction;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool looks_like(const char *text, const char *pattern)
{
	for (; *pattern; text++, pattern++) {
		if (*pattern == '0') {
			if (!is_digit(*text))
				return false;
		} else if (*pattern == 'a') {
			if ((*text | 32) < 'a' || (*text | 32) > 'z')
				return false;
		} else if (*text != *pattern) {
			return false;
		}
	}
	return true;
}

/* Returns what follows the digits, or NULL if there is none; a tenth one has no effect. */
static const char *read_fraction(const char *digits, __u64 *ns)
{
	__u64 unit = NSEC_PER_SEC / 10;

	*ns = 0;
	if (!is_digit(*digits))
		return NULL;
	for (; is_digit(*digits); digits++, unit /= 10)
		*ns += (__u64)(*digits - '0') * unit;
	return digits;
}

bool time_of_number(const char *text, __u64 *ns)
{
	size_t digits = strspn(text, "0123456789");
	__u64 second, fraction = 0;

	if (!digits || digits > 10)
		return false;
	second = strtoull(text, NULL, 10);
	text += digits;
	if (*text == '.')
		text = read_fraction(text + 1, &fraction);
	if (!text || *text || second >= MAX_SECOND)
		return false;
	*ns = second * NSEC_PER_SEC + fraction;
	return true;
}

static bool is_leap(int year)
{
	return year % 4 == 0 && (year % 100 || year % 400 == 0);
}

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* A second may be the 60th, which is a leap second. */
static bool is_possible(const struct stamp *s)
{
	return s->year >= FIRST_YEAR && s->year <= LAST_YEAR && s->month >= 1 &&
	       s->month <= 12 && s->day >= 1 && s->day <= days_of(s->year, s->month) &&
	       s->hour <= 23 && s->minute <= 59 && s->second <= 60;
}

static bool to_ns(const struct stamp *s, __u64 *ns)
{
	int days = s->day - 1;

	if (!is_possible(s))
		return false;
	for (int year = 1970; year < s->year; year++)
		days += 365 + is_leap(year);
	for (int month = 1; month < s->month; month++)
		days += days_of(s->year, month);
	*ns = ((__u64)(days * 1440 + s->hour * 60 + s->minute - s->zone) * 60 +
	       (__u64)s->second) * NSEC_PER_SEC + s->fraction;
	return true;
}

static int two_digits(const char *text)
{
	return (text[0] - '0') * 10 + text[1] - '0';
}

/* Takes "-07" and "00", wherever they stand. */
static bool read_zone(const char *hours, const char *minutes, int *zone)
{
	*zone = two_digits(hours + 1) * 60 + two_digits(minutes);
	if (*hours == '-')
		*zone = -*zone;
	return two_digits(hours + 1) <= 23 && two_digits(minutes) <= 59;
}

/* 1 to 12, or 0 */
static int month_number(const char *name)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int i = 0; i < 12; i++)
		if (!strncmp(names + 3 * i, name, 3))
			return i + 1;
	return 0;
}

/* The time of day, "13:55:36" */
static void read_clock(const char *text, struct stamp *s)
{
	s->hour = two_digits(text);
	s->minute = two_digits(text + 3);
	s->second = two_digits(text + 6);
}

/* As in Common Log Format; the whole of it has one length. */
static bool read_common(const char *text, struct stamp *s)
{
	if (!looks_like(text, "00/aaa/0000:00:00:00 +0000") &&
	    !looks_like(text, "00/aaa/0000:00:00:00 -0000"))
		return false;
	s->day = two_digits(text);
	s->month = month_number(text + 3);
	s->year = two_digits(text + 7) * 100 + two_digits(text + 9);
	read_clock(text + 12, s);
	return !text[26] && read_zone(text + 21, text + 24, &s->zone);
}

/* As in RFC 3339, which allows a blank for the T, and small letters. */
static bool read_rfc3339(const char *text, struct stamp *s)
{
	if (!looks_like(text, "0000-00-00") || !memchr("Tt ", text[10], 3) ||
	    !looks_like(text + 11, "00:00:00"))
		return false;
	s->year = two_digits(text) * 100 + two_digits(text + 2);
	s->month = two_digits(text + 5);
	s->day = two_digits(text + 8);
	read_clock(text + 11, s);
	text += 19;
	if (*text == '.')
		text = read_fraction(text + 1, &s->fraction);
	if (!text || !strcmp(text, "Z") || !strcmp(text, "z"))
		return text;
	if (!looks_like(text, "+00:00") && !looks_like(text, "-00:00"))
		return false;
	return !text[6] && read_zone(text, text + 4, &s->zone);
}

bool time_of_stamp(const char *text, __u64 *ns)
{
	struct stamp s = { 0 };

	return (read_common(text, &s) || read_rfc3339(text, &s)) && to_ns(&s, ns);
}
