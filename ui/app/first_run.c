#include "ui/app/first_run.h"

#include <stdlib.h>

#include "src/conf/paths.h"
#include "src/lang/lang.h"
#include "ui/frame/toast.h"

enum start_by first_run_start_by(void)
{
    struct paths p;
    paths_find(&p);
    bool shared = p.shared;
    paths_fini(&p);
    return getenv("STOKER_SOCKET") ? START_BY_ITSELF : shared ? START_BY_ADMIN : START_BY_USER;
}

void first_run_offer_start(const struct settings *s, struct errtext *err)
{
    struct str key = STR_INIT;
    struct errtext first = *err;
    keymap_format(&s->keys, ACTION_START, true, &key);
    if (key.len)
        err_set(err, 0, tr("%s, or press %s"), first.s, key.s);
    str_fini(&key);
}

void first_run_tell_samples(struct ui *ui, const struct settings *s)
{
    struct str key = STR_INIT;
    keymap_format(&s->keys, ACTION_SAMPLES, true, &key);
    ui_toast(ui, ROLE_WARN, tr("sample jobs were submitted; %s cancels them"), key.len ? key.s : "scancel");
    str_fini(&key);
}
