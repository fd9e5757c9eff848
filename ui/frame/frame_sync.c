/* frame_sync.c - the model has changed: sums, watched jobs, views and dialogs follow. */
#include "ui/frame/frame_sync.h"

#include "ui/frame/mirror_follow.h"
#include "ui/frame/stack.h"
#include "ui/frame/totals.h"
#include "ui/frame/wait_causes.h"
#include "ui/frame/watch.h"
#include "ui/state/changes.h"
#include "ui/state/ui_state.h"

void frame_sync(struct ui *ui)
{
    follow_fit(ui);
    if (!changes_take_unseen(ui))
        return;
    ui->dirty = true;
    wait_causes_changed(ui);
    totals_count(ui);
    watch_look(ui);
    stack_sync(ui);
    changes_clear(ui);
}

void ui_point_at(struct ui *ui, uint32_t job)
{
    frame_sync(ui);
    stack_point_at(ui, job);
}
