// SPDX-License-Identifier: GPL-2.0-only
/*
 * CSV with two columns, as RFC 4180 has it, but without newlines inside of fields; see
 * log-formats.toml.
 */
#include <string.h>

#include "log_formats.h"
#include "log_time.h"

#define COLUMNS		2
#define HEADER_MAX	255

/* Take the quotes off a field, in place; returns what follows it, NULL if it is wrong. */
static char *unquote(char *field)
{
	char *to = field, *from = field + 1;

	for (;; from++) {
		if (!*from)
			return NULL;
		if (*from == '"' && *++from != '"')
			break;
		*to++ = *from;
	}
	/* At least one quote is gone, so this does not overwrite what follows. */
	*to = '\0';
	return from;
}

/* Cut off a field; returns what follows it: ",..." or ""; NULL if it is wrong. */
static char *cut_field(char *field, char *separator)
{
	char *end = *field == '"' ? unquote(field) : field + strcspn(field, ",\"");

	if (!end || (*end && *end != ','))
		return NULL;
	*separator = *end;
	*end = '\0';
	return end;
}

/* Cut a line into fields: how many there are, with the first ones in @fields; 0: wrong. */
static int split(char *line, char *fields[COLUMNS])
{
	char separator = ',';
	int count;

	for (count = 0; separator == ','; count++) {
		char *end = cut_field(line, &separator);

		if (!end)
			return 0;
		if (count < COLUMNS)
			fields[count] = line;
		line = end + 1;
	}
	return count;
}

/* Could it be the name of a column, and nothing else? */
static bool is_name(const char *field)
{
	return strspn(field, LETTERS "_") && !field[strspn(field, LETTERS DIGITS "_ .-")];
}

/* The header as other programs write it: with blanks, a semicolon or a TAB. */
static bool is_near_header(const char *line)
{
	static const char second[] = "second", client[] = "client";

	if (strncmp(line, second, strlen(second)))
		return false;
	line += strlen(second);
	line += strspn(line, " ");
	if (!*line || !strchr(",;\t", *line))
		return false;
	line++;
	line += strspn(line, " ");
	if (strncmp(line, client, strlen(client)))
		return false;
	line += strlen(client);
	return !line[strspn(line, " ")];
}

enum csv_header csv_header(const char *line)
{
	char copy[HEADER_MAX + 1], *fields[COLUMNS];
	int count;

	if (strlen(line) > HEADER_MAX)
		return CSV_NO_HEADER;
	count = split(strcpy(copy, line), fields);
	if (count < COLUMNS || !is_name(fields[0]) || !is_name(fields[1]))
		return is_near_header(line) ? CSV_OTHER_HEADER : CSV_NO_HEADER;
	if (count > COLUMNS || strcmp(fields[0], "second") || strcmp(fields[1], "client"))
		return CSV_OTHER_HEADER;
	return CSV_HEADER;
}

bool csv_read(char *line, struct log_entry *entry)
{
	char *fields[COLUMNS];

	if (split(line, fields) != COLUMNS)
		return false;
	entry->client = fields[1];
	return time_of_number(fields[0], &entry->time);
}
