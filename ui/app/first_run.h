/* first_run.h - what the screens tell a new user: the key that starts a cluster, the one that cancels the
 * samples. */
#ifndef UI_APP_FIRST_RUN_H
#define UI_APP_FIRST_RUN_H

#include "ui/app/settings.h"
#include "ui/state/view.h"

/* err says that no controller runs: what the command line offers, by a key. */
void first_run_offer_start(const struct settings *s, struct errtext *err);
void first_run_tell_samples(struct ui *ui, const struct settings *s);

#endif
