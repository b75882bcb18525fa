/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef SHIM_LINUX_TRACEPOINT_H
#define SHIM_LINUX_TRACEPOINT_H

/* There are no tracepoints here; the functions that report to them do nothing. */
#define TP_PROTO(...)	__VA_ARGS__
#define TP_ARGS(a, b)	((void)(a), (void)(b))

#define DECLARE_EVENT_CLASS(name, proto, args, ...)

#define TRACE_EVENT(name, proto, args, ...)	\
	static inline void trace_##name(proto)	\
	{					\
		args;				\
	}					\
	struct shim_needs_semicolon

#define DEFINE_EVENT(template, name, proto, args)	\
	TRACE_EVENT(name, SHIM_SAME(proto), args)
#define SHIM_SAME(...)	__VA_ARGS__

#endif /* SHIM_LINUX_TRACEPOINT_H */
