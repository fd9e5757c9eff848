/* totals.c - the sums of the header. */
#include "ui/frame/totals.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/state/ui_state.h"

struct totals_state {
    struct cluster_totals sums, told;
};

void totals_new(struct ui *ui)
{
    ui->around.totals = xcalloc(1, sizeof *ui->around.totals);
}

void totals_free(struct ui *ui)
{
    free(ui->around.totals);
    ui->around.totals = NULL;
}

const struct cluster_totals *totals_get(const struct ui *ui)
{
    return &ui->around.totals->sums;
}

void totals_take(struct ui *ui, const struct cluster_totals *told)
{
    ui->around.totals->told = *told;
    ui->around.totals->told.edge = (struct wall){0}; /* the controller tells what changes then */
}

void totals_count(struct ui *ui)
{
    ui->around.totals->sums = ui_has_all(ui) ? model_totals(ui->m, ui->now) : ui->around.totals->told;
}

size_t ui_n_jobs(const struct ui *ui)
{
    return ui->around.totals->sums.jobs;
}
