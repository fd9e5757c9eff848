/* userinfo.h - what there is to say about a user or an account: share, limits, jobs. */
#ifndef UI_VIEW_USERINFO_H
#define UI_VIEW_USERINFO_H

#include "ui/view/view.h"

/* user NULL: the account as a whole. share: NULL where it is not known. */
void userinfo_lines(struct lines *l, const struct ui *ui, const char *account, const char *user,
                    const struct share_row *share);
/* Whose account a job counts for: the one that it asked for, else its group. */
const char *userinfo_account(const struct job *j);

#endif
