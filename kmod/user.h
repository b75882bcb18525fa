/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TWHEEL_USER_H
#define TWHEEL_USER_H

#include <linux/types.h>

struct tw_user;

struct tw_user *tw_user_get(void);
void tw_user_put(struct tw_user *user);
int tw_user_charge(struct tw_user *user, u32 timers);
void tw_user_uncharge(struct tw_user *user, u32 timers);

#endif /* TWHEEL_USER_H */
