/* user_info.h - what there is to say about a user or an account: share, limits, jobs. */
#ifndef UI_INFO_USER_INFO_H
#define UI_INFO_USER_INFO_H

#include "ui/info/holders.h"

/* h: of those that were counted in all. */
void userinfo_lines(struct lines *l, const struct ui *ui, const struct holders *all,
                    const struct holder *h);

#endif
