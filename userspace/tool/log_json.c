// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs of JSON objects, one a line, as nginx (escape=json) and Caddy write them; see
 * log-formats.toml.
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "log_formats.h"
#include "log_time.h"

/* What is looked for if nobody says what: the first one that is there. */
static const char *const times[] = {
	"ts", "time", "timestamp", "@timestamp", "time_iso8601", "msec", "time_local", NULL
};

static const char *const clients[] = {
	"client", "client_ip", "remote_ip", "remote_addr", "request.client_ip",
	"request.remote_ip", NULL
};

#define MAX_WHOLE	((1LL << 53) - 1)	/* what JSON's numbers can hold everywhere */
#define MAX_DEPTH	32

/* The member with this name, in which dots lead into objects. */
static json_object *find(json_object *object, const char *path)
{
	char name[256];

	for (;;) {
		size_t length = strcspn(path, ".");

		if (length >= sizeof(name))
			return NULL;
		memcpy(name, path, length);
		name[length] = '\0';
		if (!json_object_is_type(object, json_type_object) ||
		    !json_object_object_get_ex(object, name, &object))
			return NULL;
		if (!path[length])
			return object;
		path += length + 1;
	}
}

static json_object *find_one(json_object *object, const char *wanted,
			     const char *const *usual)
{
	json_object *found = NULL;

	if (wanted)
		return find(object, wanted);
	while (!found && *usual)
		found = find(object, *usual++);
	return found;
}

/* A number's text is what stands in the line, so nothing is lost to a double. */
static bool read_time(json_object *value, __u64 *time)
{
	const char *text = json_object_get_string(value);

	if (!text)
		return false;
	switch (json_object_get_type(value)) {
	case json_type_string:
		if (time_of_stamp(text, time))
			return true;
		/* fall through */
	case json_type_int:
	case json_type_double:
		return time_of_number(text, time);
	default:
		return false;
	}
}

/* Copy the client over the line, which is at least as long as any of its strings. */
static bool read_client(json_object *value, char *line)
{
	const char *text = json_object_get_string(value);

	if (!text)
		return false;
	switch (json_object_get_type(value)) {
	case json_type_string:
		strcpy(line, text);
		clf_first_address(line);
		return strlen(text) == (size_t)json_object_get_string_len(value);
	case json_type_int:
		strcpy(line, text);
		return json_object_get_int64(value) >= 0 &&
		       json_object_get_int64(value) <= MAX_WHOLE;
	default:
		return false;
	}
}

/*
 * json-c, even when told to be strict, takes some of what RFC 8259 does not allow: names
 * in single quotes, NaN, 01, "1.", control characters.  So strings and numbers are
 * checked here, and how they are put together there.  An escaped NUL would end the name of
 * a member.  The depth is counted here because json-c's count depends on what is innermost.
 */

/* What follows a string, a number or digits; NULL if it is none. */

static const char *string_end(const char *p)
{
	for (p++; *p != '"'; p++) {
		if ((unsigned char)*p < ' ' || !strncmp(p, "\\u0000", 6))
			return NULL;
		if (*p == '\\' && p[1])
			p++;
	}
	return p + 1;
}

static const char *digits_end(const char *p)
{
	size_t digits = strspn(p, DIGITS);

	return digits ? p + digits : NULL;
}

static const char *number_end(const char *p)
{
	if (*p == '-')
		p++;
	p = *p == '0' ? p + 1 : digits_end(p);
	if (p && *p == '.')
		p = digits_end(p + 1);
	if (p && (*p == 'e' || *p == 'E'))
		p = digits_end(p[1] == '+' || p[1] == '-' ? p + 2 : p + 1);
	return p && *p && strchr(DIGITS ".", *p) ? NULL : p;
}

static bool is_strict(const char *p)
{
	int depth = 0;

	while (p && *p && depth <= MAX_DEPTH) {
		if (*p == '"') {
			p = string_end(p);
		} else if (strchr(DIGITS "-", *p)) {
			p = number_end(p);
		} else if (strchr("{}[]:,aeflnrstu \t", *p)) {
			depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
			p++;
		} else {
			return false;
		}
	}
	return p && !*p;
}

/*
 * A parser for each line: one that has met a mistake keeps a part of it, such as half of
 * a surrogate pair, over json_tokener_reset() (0.16).
 */
static json_object *parse(const char *line, size_t length)
{
	struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH + 2);
	json_object *object;

	if (!tokener)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	/* With its '\0': the parser says at once whether the object is complete. */
	object = json_tokener_parse_ex(tokener, line, (int)length + 1);
	json_tokener_free(tokener);
	return object;
}

int json_read(const struct json_fields *fields, char *line, size_t length,
	      struct log_entry *entry)
{
	json_object *object;
	bool good;

	if (!is_utf8(line) || !is_strict(line))
		return 0;
	errno = 0;
	object = parse(line, length);
	good = errno != ENOMEM && json_object_is_type(object, json_type_object) &&
	       read_time(find_one(object, fields->time, times), &entry->time) &&
	       read_client(find_one(object, fields->client, clients), line);
	entry->client = line;
	json_object_put(object);
	/* json-c reports a lack of memory as a mistake in the text, if at all. */
	return errno == ENOMEM ? -ENOMEM : good;
}
