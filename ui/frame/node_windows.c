/* node_windows.c - windows that keep nodes from jobs, as the time is. */
#include "ui/state/ui_state.h"

const struct window *ui_window_of_node(const struct ui *ui, const struct node *n)
{
    return window_in_way(ui->m, n->spec.name, NULL, ui->now, wall_add_s(ui->now, WINDOW_SOON_S));
}

bool ui_window_has_begun(const struct ui *ui, const struct window *w)
{
    return w->start.ms <= ui->now.ms;
}

bool ui_node_is_out(const struct ui *ui, const struct node *n)
{
    const struct window *w = node_is_out(n) ? NULL : ui_window_of_node(ui, n);
    return node_is_out(n) || (w && ui_window_has_begun(ui, w));
}
