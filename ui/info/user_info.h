/* user_info.h - what there is to say about a user or an account: share, limits, jobs. */
#ifndef UI_INFO_USER_INFO_H
#define UI_INFO_USER_INFO_H

#include "ui/info/holders.h"

/* h: one of those that `all` has counted. */
void userinfo_lines(struct lines *l, struct ui *ui, const struct holders *all, const struct holder *h);

#endif
