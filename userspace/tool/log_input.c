// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bytes of a log, which may be compressed by gzip.
 *
 * A log that is cut off must not pass for a whole one.  zlib's gzread() is too lenient:
 * it ignores whatever follows the compressed data, as in "cat log.1.gz log".  So the
 * members of a gzip file are walked through here.  Like gzip(1), we accept several of
 * them, and zeros behind each (tapes are padded with them), and nothing else.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "log_input.h"

#define GZIP_ONLY	16	/* for zlib: expect a gzip header */
#define LONGEST_MAGIC	10	/* of bzip2 */

/* Read more, behind what is not used yet. */
static int fill(struct log_input *input)
{
	z_stream *stream = &input->stream;
	ssize_t count;

	memmove(input->in, stream->next_in, stream->avail_in);
	stream->next_in = input->in;
	do {
		count = read(input->fd, input->in + stream->avail_in,
			     sizeof(input->in) - stream->avail_in);
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		return -errno;
	stream->avail_in += (unsigned int)count;
	input->ended = !count;
	return 0;
}

/* What other programs begin their files with; '?' is a level. */
static const char *const other_magic[] = {
	"\3757zXZ",		/* xz: \375 is 0xfd, whose hex form would take the 7 */
	"\x28\xb5\x2f\xfd",	/* zstd */
	"BZh?1AY&SY",		/* bzip2: a host may be called BZh9 */
};

static bool has_magic(const z_stream *stream, const char *magic)
{
	size_t length = strlen(magic);

	if (stream->avail_in < length)
		return false;
	for (size_t i = 0; i < length; i++)
		if (magic[i] != '?' && stream->next_in[i] != (unsigned char)magic[i])
			return false;
	return true;
}

static bool is_other_compression(const z_stream *stream)
{
	for (size_t i = 0; i < sizeof(other_magic) / sizeof(other_magic[0]); i++)
		if (has_magic(stream, other_magic[i]))
			return true;
	return false;
}

int log_input_open(struct log_input *input, int fd)
{
	z_stream *stream = &input->stream;

	*input = (struct log_input) { .fd = fd, .stream.next_in = input->in };
	while (stream->avail_in < LONGEST_MAGIC && !input->ended) {
		int ret = fill(input);

		if (ret)
			return ret;
	}
	if (is_other_compression(stream))
		return -EPROTONOSUPPORT;
	if (stream->avail_in < 2 || stream->next_in[0] != 0x1f || stream->next_in[1] != 0x8b)
		return 0;
	if (inflateInit2(stream, MAX_WBITS + GZIP_ONLY) != Z_OK)
		return -ENOMEM;
	input->gzip = true;
	return 0;
}

static ssize_t read_plain(struct log_input *input, void *buffer, size_t size)
{
	z_stream *stream = &input->stream;

	if (size > stream->avail_in)
		size = stream->avail_in;
	memcpy(buffer, stream->next_in, size);
	stream->next_in += size;
	stream->avail_in -= (unsigned int)size;
	return (ssize_t)size;
}

/* Unpack some of what there is. */
static int unpack(struct log_input *input)
{
	z_stream *stream = &input->stream;

	if (!input->in_member) {
		if (!*stream->next_in) {
			stream->next_in++;
			stream->avail_in--;
			return 0;
		}
		inflateReset(stream);
		input->in_member = true;
	}
	switch (inflate(stream, Z_NO_FLUSH)) {
	case Z_OK:
		return 0;
	case Z_STREAM_END:
		input->in_member = false;
		return 0;
	case Z_MEM_ERROR:
		return -ENOMEM;
	default:
		return -EBADMSG;
	}
}

static ssize_t read_gzip(struct log_input *input, void *buffer, size_t size)
{
	z_stream *stream = &input->stream;
	int ret = 0;

	stream->next_out = buffer;
	stream->avail_out = (unsigned int)size;
	while (!ret && stream->avail_out == size) {
		if (stream->avail_in)
			ret = unpack(input);
		else if (!input->ended)
			ret = fill(input);
		else
			return input->in_member ? -EBADMSG : 0;
	}
	return ret ? ret : (ssize_t)(size - stream->avail_out);
}

ssize_t log_input_read(struct log_input *input, void *buffer, size_t size)
{
	int ret = 0;

	if (input->gzip)
		return read_gzip(input, buffer, size);
	if (!input->stream.avail_in && !input->ended)
		ret = fill(input);
	return ret ? ret : read_plain(input, buffer, size);
}

void log_input_close(struct log_input *input)
{
	if (input->gzip)
		inflateEnd(&input->stream);
}
