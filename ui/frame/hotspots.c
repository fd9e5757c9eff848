/* hotspots.c - places of the picture whose click is an action. */
#include "ui/frame/hotspots.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/state/ui_state.h"

struct hotspot {
    struct rect at;
    enum action action;
    size_t arg;
};

struct hotspots {
    VEC(struct hotspot) spots;
};

void hotspots_new(struct ui *ui)
{
    ui->around.hotspots = xcalloc(1, sizeof *ui->around.hotspots);
}

void hotspots_free(struct ui *ui)
{
    vec_fini(&ui->around.hotspots->spots);
    free(ui->around.hotspots);
    ui->around.hotspots = NULL;
}

void hotspots_clear(const struct ui *ui)
{
    vec_clear(&ui->around.hotspots->spots);
}

void hotspots_add(const struct ui *ui, struct rect at, enum action action, size_t arg)
{
    vec_push(&ui->around.hotspots->spots, ((struct hotspot){.at = at, .action = action, .arg = arg}));
}

enum action hotspots_at(const struct ui *ui, int y, int x, size_t *ret_arg)
{
    vec_for_each (&ui->around.hotspots->spots, i) {
        const struct hotspot *h = &ui->around.hotspots->spots.v[i];
        if (rect_has(h->at, y, x)) {
            *ret_arg = h->arg;
            return h->action;
        }
    }
    return ACTION_NONE;
}
