/* first_run.h - what the screens tell a new user: the key that starts a cluster, the one that cancels the
 * samples. */
#ifndef UI_APP_FIRST_RUN_H
#define UI_APP_FIRST_RUN_H

#include "ui/app/settings.h"
#include "ui/state/ui_state.h"
#include "ui/state/view.h"

/* By whom a controller of this machine is started that goes away: one behind STOKER_SOCKET is another
 * program's. */
enum start_by first_run_start_by(void);
/* err says that no controller runs: what the command line offers, by a key. */
void first_run_offer_start(const struct settings *s, struct errtext *err);
void first_run_tell_samples(struct ui *ui, const struct settings *s);

#endif
