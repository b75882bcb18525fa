// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs in Common Log Format, and what servers make of it; see log-formats.toml.
 *
 *	[syslog] [vhost] client ident user [time] "request" ...
 *
 * None of the optional parts is marked as such.  What tells them apart is that an ident
 * (of RFC 1413, nearly always "-") has no dots and no colons, but addresses have.  If
 * the second word is no ident, the first one is taken for a vhost.  Idents other than "-"
 * are so rare that they are not looked for behind a vhost.
 *
 * The request, and all that follows, is up to the client; so is the user's name.  The
 * time is looked for only in its place, in the brackets before the first quote.
 */
#include <string.h>

#include "log_formats.h"
#include "log_time.h"

#define OF_IDENT	LETTERS DIGITS "_-"
#define OF_ADDRESS	OF_IDENT ".:%"

/* A character that may stand in a word; in UTF-8, all parts of what is not ASCII. */
static bool is_visible(char c)
{
	return (unsigned char)c > ' ' && c != 0x7f && c != '"';
}

/* The word after this one and its blank; NULL if there is none. */
static char *next_word(char *text)
{
	char *p = text;

	while (is_visible(*p))
		p++;
	return p != text && *p == ' ' ? p + 1 : NULL;
}

static char *skip_words(char *text, int count)
{
	while (text && count--)
		text = next_word(text);
	return text;
}

/* --- what the system log puts before a line --- */

/* <13>, of one to three digits */
static char *skip_priority(char *line)
{
	size_t digits = *line == '<' ? strspn(line + 1, DIGITS) : 0;

	return digits >= 1 && digits <= 3 && line[digits + 1] == '>' ? line + digits + 2 : line;
}

/* Oct 10 13:55:36, or a time as in RFC 3339: what follows it; NULL for anything else. */
static char *skip_syslog_time(char *text)
{
	if (looks_like(text, "aaa 00 00:00:00 ") || looks_like(text, "aaa  0 00:00:00 "))
		return text + strlen("Oct 10 13:55:36 ");
	if (looks_like(text, "0000-00-00T00:00:00"))
		return next_word(text);
	return NULL;
}

/*
 * RFC 5424: <13>1 time host program pid id -
 * others:   <13>time host program[pid]:, with or without the priority
 */
static char *skip_syslog(char *line)
{
	char *p = skip_priority(line), *end;

	if (p != line && !strncmp(p, "1 ", 2)) {
		end = skip_words(p + 2, 5);
		return end && !strncmp(end, "- ", 2) ? end + 2 : line;
	}
	end = skip_syslog_time(p);
	end = end ? skip_words(end, 2) : NULL;
	return end && end[-2] == ':' ? end : line;
}

/* --- the fields --- */

/* The end of a list of addresses, with commas between; NULL if it is none. */
static char *list_end(char *text)
{
	for (;;) {
		size_t length = strspn(text, OF_ADDRESS);

		if (!length)
			return NULL;
		text += length;
		if (*text != ',')
			return text;
		text += text[1] == ' ' ? 2 : 1;
	}
}

/* Returns the ident, and in @client where the first address begins. */
static char *read_clients(char *text, char **client)
{
	bool quoted = *text == '"';
	char *end;

	*client = text + quoted;
	end = list_end(*client);
	if (!end || (quoted && *end++ != '"'))
		return NULL;
	return *end == ' ' ? end + 1 : NULL;
}

/*
 * A user's name may have blanks.  Not so after an ident other than "-", and "-" is no
 * part of it: these would be the fields of another format.
 */
static bool is_user(char *user, const char *end, bool blanks)
{
	char *p = user;

	if (!strncmp(user, "\"\" ", 3))
		return end == user + 2;
	while (p && p < end) {
		bool dash = *p == '-' && p[1] == ' ';
		char *next = next_word(p);

		if ((dash || !blanks) && !(p == user && next == end + 1))
			return false;
		p = next;
	}
	return p == end + 1 && p != user;
}

/* Read 'user [time] "' at @user. */
static bool read_user_and_time(char *user, bool blanks, __u64 *time)
{
	size_t empty = strncmp(user, "\"\" ", 3) ? 0 : 3;
	char *quote = strchr(user + empty, '"'), *bracket;
	bool good;

	if (!quote || quote - user < 4 || quote[-1] != ' ' || quote[-2] != ']')
		return false;
	bracket = memrchr(user, '[', (size_t)(quote - user));
	if (!bracket || bracket - user < 2 || bracket[-1] != ' ' ||
	    !is_user(user, bracket - 1, blanks))
		return false;
	quote[-2] = '\0';
	good = time_of_stamp(bracket + 1, time);
	quote[-2] = ']';
	return good;
}

static bool read_fields(char *text, bool any_ident, struct log_entry *entry)
{
	char *ident = read_clients(text, &entry->client);
	size_t length = ident ? strspn(ident, OF_IDENT) : 0;
	bool no_ident = length == 1 && *ident == '-';

	if (!length || ident[length] != ' ' || !(any_ident || no_ident) ||
	    !read_user_and_time(ident + length + 1, no_ident, &entry->time))
		return false;
	entry->client[strspn(entry->client, OF_ADDRESS)] = '\0';
	return true;
}

bool clf_read(char *line, struct log_entry *entry)
{
	char *fields = skip_syslog(line);
	size_t vhost = strspn(fields, OF_ADDRESS);

	return read_fields(fields, true, entry) ||
	       (vhost && fields[vhost] == ' ' && read_fields(fields + vhost + 1, false, entry));
}

void clf_first_address(char *text)
{
	char *end = list_end(text);

	if (end && !*end)
		text[strspn(text, OF_ADDRESS)] = '\0';
}
