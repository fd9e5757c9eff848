/* array_throttle.c - how many elements of an array run at the same time: a change is delayed, so that
 * several keys are one change and it can be undone. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/array/array_internal.h"
#include "ui/dialogs/job_dialogs.h"

#define THROTTLE_MS 3000

struct throttling {
    uint32_t array, throttle;
};

static void throttle_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)owner;
    uint32_t throttle = (uint32_t)(arg >> 8);
    if (!act_answered(ui, 0, tr("change"), in))
        return;
    if (throttle)
        ui_toast(ui, ROLE_GOOD, tr("changed: %u elements at a time"), throttle);
    else
        ui_toast(ui, ROLE_GOOD, tr("changed: no limit of elements at a time"));
}

static void send_throttle(struct ui *ui, void *arg)
{
    const struct throttling *t = arg;
    struct msg_update m = {.target = {.job = t->array, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    strv_push_take(&m.changes, xasprintf("ArrayTaskThrottle=%u", t->throttle));
    ui_send(ui, MSG_UPDATE, &m, NULL, throttle_answered, (uint64_t)t->throttle << 8);
    rec_fini(&msg_update_rec, &m);
}

/* Without a limit: one below what runs. As many as there are: no limit. */
static uint32_t next_throttle(const struct array_screen *a, uint32_t now, bool more)
{
    uint32_t running = a->e.counts[ELEMENT_RUNNING];
    if (more)
        return !now || now + 1 >= a->e.v.n ? 0 : now + 1;
    if (!now)
        return running > 1 ? running - 1 : 1;
    return now > 1 ? now - 1 : 1;
}

bool array_throttle_wanted(const struct array_screen *a, uint32_t *ret)
{
    const struct throttling *t = ui_later_arg(a->v.ui, send_throttle);
    bool waits = t && t->array == a->e.id;
    *ret = waits ? t->throttle : array_elements_throttle(&a->e);
    return waits;
}

void array_throttle_change(struct array_screen *a, bool more)
{
    struct ui *ui = a->v.ui;
    uint32_t wanted;
    if (ui_read_only(ui, true))
        return;
    if (!a->e.counts[ELEMENT_WAITING]) {
        ui_toast(ui, ROLE_NORMAL, tr("no element waits: there is nothing to limit"));
        return;
    }
    array_throttle_wanted(a, &wanted);
    struct throttling *t = xcalloc(1, sizeof *t);
    *t = (struct throttling){.array = a->e.id, .throttle = next_throttle(a, wanted, more)};
    char *what = t->throttle ? xasprintf(tr("array %u: %u elements at a time"), t->array, t->throttle)
                             : xasprintf(tr("array %u: no limit of elements at a time"), t->array);
    ui_later_instead(ui, what, THROTTLE_MS, send_throttle, t, free);
    free(what);
}
