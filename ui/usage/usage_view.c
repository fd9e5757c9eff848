/* usage_view.c - resources in use and used, by account and user.
 *
 *        WHO           RUN WAIT   CPUS  GPUS   MEMORY  GPU HOURS  USED OF SHARE           FACTOR
 *      v vision          9   60     80     8     640G      132.4  #####=....   61% of 50%
 *          alice         8   58     76     7     608G      120.1  #####====.   91% of 50%    0.42
 *        physics  chen   2                                  20.4  #----.....   12% of 50%    0.90
 *
 * What is held now is counted from the queue. GPU hours, share and factor are the scheduler's: asked for
 * while this is on the screen, at most every few seconds.
 */
#include "ui/usage/usage_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/info/holders.h"
#include "ui/info/user_info.h"
#include "ui/text/view_text.h"
#include "ui/view/copy_menu.h"
#include "ui/view/seldom.h"
#include "ui/view/table_view.h"
#include "ui/widget/bar.h"

#define ASK_PAUSE_MS 5000

struct usage_entry {
    const struct holder *account; /* NULL: a user below their account */
    const struct holder *shown;   /* of a user who is alone in the account, the user */
};

struct usageview {
    struct tablescreen s;
    struct usage_entry *rows;
    struct holders holders;
    struct msg_shares_rows shares, next; /* the next answer, still incomplete */
    struct seldom shares_ask;
    bool opened;
    size_t n_shown;
    unsigned drawn; /* DRAWN_*: columns that the legend explains */
};

#define LEGEND_COLS 60 /* below this height there is no legend */

#define DRAWN_USED   2u
#define DRAWN_FACTOR 4u

static struct usageview *usage_of(struct view *v)
{
    return (struct usageview *)(void *)v;
}

/* --- the scheduler's side --- */

static void usage_ask(struct usageview *u, uint32_t skip);

static void usage_answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
{
    (void)arg;
    struct usageview *u = usage_of(owner);
    if (!seldom_answered(&u->shares_ask, in, MSG_SHARES_ROWS))
        return;
    struct msg_shares_rows copy;
    rec_copy(&msg_shares_rows_rec, &copy, in->body);
    for (size_t i = 0; i < copy.rows.n; i++) {
        *rec_list_push(&u->next.rows) = copy.rows.v[i];
        copy.rows.v[i] = (struct share_row){0};
    }
    bool more = copy.more && copy.rows.n;
    rec_fini(&msg_shares_rows_rec, &copy);
    if (more) {
        usage_ask(u, (uint32_t)u->next.rows.n);
        return;
    }
    rec_fini(&msg_shares_rows_rec, &u->shares);
    u->shares = u->next;
    u->next = (struct msg_shares_rows){0};
    table_refill(&u->s.table);
    ui_changed(ui);
}

static void usage_ask(struct usageview *u, uint32_t skip)
{
    struct msg_shares m = {.skip = skip};
    seldom_sent(&u->shares_ask, ui_send(u->s.v.ui, MSG_SHARES, &m, &u->s.v, usage_answered, 0));
}

static void usage_ask_sometimes(struct usageview *u)
{
    if (seldom_is_due(&u->shares_ask, u->s.v.ui, ASK_PAUSE_MS)) {
        rec_fini(&msg_shares_rows_rec, &u->next);
        usage_ask(u, 0);
    }
    u->s.v.due = u->shares_ask.due;
}

/* --- rows --- */

/* The users of the account at i, which stand behind it. */
static size_t usage_users(const struct usageview *u, size_t i)
{
    size_t n = 0;
    const struct holder *const *v = (const struct holder *const *)u->holders.rows.v;
    while (i + 1 + n < u->holders.rows.n && v[i + 1 + n]->user &&
           str_eq(v[i + 1 + n]->account, v[i]->account))
        n++;
    return n;
}

/* An account with a single user is one row with both names. */
static void usage_fill(void *ctx, struct table *t)
{
    struct usageview *u = ctx;
    size_t n = 0;
    holders_count(&u->holders, ui_model(u->s.v.ui), &u->shares);
    u->rows = xreallocarray(u->rows, u->holders.rows.n + 1, sizeof *u->rows);
    u->n_shown = 0;
    for (size_t i = 0; i < u->holders.rows.n; i++) {
        const struct holder *h = u->holders.rows.v[i];
        size_t users = h->user ? 0 : usage_users(u, i);
        u->n_shown += !h->user;
        if (!h->user && !u->opened) /* at first all accounts are expanded, so that all users are visible */
            table_fold(t, h->id, true);
        struct usage_entry *r = &u->rows[n++];
        *r = (struct usage_entry){.account = h->user ? NULL : h,
                                  .shown = users == 1 ? u->holders.rows.v[i + 1] : h};
        table_add(t, (struct trow){.id = h->id, .data = r, .depth = h->user ? 1 : 0, .branch = users > 1});
        i += users == 1;
    }
    u->opened = u->opened || u->holders.rows.n;
}

/* --- columns --- */

static const struct holder *usage_shown(const void *row)
{
    return ((const struct usage_entry *)row)->shown;
}

static void usage_get_who(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct usage_entry *r = row;
    if (r->account)
        rich_add(&f->text, ROLE_STRONG, r->account->account);
    if (r->shown->user && !(r->account && str_eq(r->account->account, r->shown->user)))
        rich_addf(&f->text, ROLE_NORMAL, "%s%s", r->account ? "  " : "", r->shown->user);
}

static void usage_get_user(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, usage_shown(row)->user);
}

static void usage_get_account(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, usage_shown(row)->account);
}

#define COUNT(name, role)                                                           \
    static void get_##name(const void *ctx, const void *row, struct table_field *f) \
    {                                                                               \
        (void)ctx;                                                                  \
        field_count(f, usage_shown(row)->all.name, role);                             \
    }
COUNT(running, ROLE_RUNNING)
COUNT(waiting, ROLE_WAITING)
COUNT(cpus, ROLE_NORMAL)
COUNT(gpus, ROLE_NORMAL)
COUNT(gpus_wanted, ROLE_WAITING)
#undef COUNT

static void usage_get_memory(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct holder *r = usage_shown(row);
    f->has_num = true;
    f->num = (double)r->all.mem_mib;
    if (r->all.mem_mib)
        mem_text(&f->text.text, r->all.mem_mib);
    rich_role(&f->text, ROLE_NORMAL);
}

static void get_hours(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct holder *r = usage_shown(row);
    if (!r->share)
        return;
    f->has_num = true;
    f->num = r->share->gpu_hours;
    if (r->share->gpu_hours >= 0.05)
        rich_addf(&f->text, ROLE_NORMAL, "%.1f", r->share->gpu_hours);
}

static void usage_add_part(struct table_field *f, double part)
{
    if (!isfinite(part))
        return;
    f->has_num = true;
    f->num = part * 100;
    rich_addf(&f->text, ROLE_NORMAL, "%.0f%%", part * 100);
}

/* Remembered while the table is drawn, for the legend below it. */
static void usage_is_drawn(const void *ctx, const struct table_field *f, unsigned column)
{
    if (f->room > 0)
        ((struct usageview *)(uintptr_t)ctx)->drawn |= column;
}

/* What the shares of a row are: of the account where it has one, else of the user within it. */
static const struct share_row *usage_share(const void *row)
{
    const struct usage_entry *r = row;
    return (r->account ? r->account : r->shown)->share;
}

static void get_share(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    if (usage_share(row))
        usage_add_part(f, usage_share(row)->norm_shares);
}

static void get_used(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    if (usage_share(row))
        usage_add_part(f, usage_share(row)->effective_usage);
}

#define DUE_CELLS 13 /* "100% of 100%" and a blank */

static int due_cells(void)
{
    return DUE_CELLS + cell_width(tr("%s of %s")) - cell_width("%s of %s");
}

static bool due_has_bar(int room)
{
    return room > due_cells() + 4;
}

/* Used of the share that is due: up to it, beyond it, and what of it is left. */
static void get_due(const void *ctx, const void *row, struct table_field *f)
{
    usage_is_drawn(ctx, f, DRAWN_USED);
    const struct share_row *s = usage_share(row);
    if (!s || !isfinite(s->norm_shares) || !isfinite(s->effective_usage))
        return;
    uint64_t due = (uint64_t)(s->norm_shares * 1000 + 0.5),
             used = (uint64_t)(s->effective_usage * 1000 + 0.5);
    uint64_t within = used < due ? used : due;
    struct bar_part parts[] = {{.n = within, .role = ROLE_BAR_USED},
                               {.n = used - within, .role = ROLE_BAR_IDLE},
                               {.n = due - within, .role = ROLE_BAR_GONE}};
    f->has_num = true;
    f->num = due ? (double)used / (double)due : 0;
    if (due_has_bar(f->room))
        bar_add(&f->text, parts, 3, 1000, f->room - due_cells());
    char of_used[24], of_due[24];
    (void)snprintf(of_used, sizeof of_used, f->room ? "%4.0f%%" : "%.0f%%", s->effective_usage * 100);
    (void)snprintf(of_due, sizeof of_due, "%.0f%%", s->norm_shares * 100);
    rich_addf(&f->text, ROLE_NORMAL, tr("%s of %s"), of_used, of_due);
}

static void get_factor(const void *ctx, const void *row, struct table_field *f)
{
    const struct holder *r = usage_shown(row);
    usage_is_drawn(ctx, f, DRAWN_FACTOR);
    if (!r->share || !r->user)
        return;
    f->has_num = true;
    f->num = r->share->fairshare;
    rich_addf(&f->text, ROLE_NORMAL, "%.2f", f->num);
}

/* Numbers take no more than they need: what is left is for the bar of the share. */
static const struct table_column columns[] = {
    {.name = "who",
     .title = N_("ACCOUNT, USER"),
     .min = 14,
     .want = 30,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = usage_get_who},
    {.name = "running", .title = N_("RUN"), .min = 5, .want = 5, .flags = COLUMN_RIGHT, .get = get_running},
    {.name = "waiting",
     .title = N_("WAIT"),
     .min = 5,
     .want = 5,
     .flags = COLUMN_RIGHT,
     .get = get_waiting},
    {.name = "cpus",
     .title = N_("CPUS"),
     .min = 6,
     .want = 6,
     .rank = 2,
     .flags = COLUMN_RIGHT,
     .get = get_cpus},
    {.name = "gpus",
     .title = N_("GPUS"),
     .min = 5,
     .want = 5,
     .flags = COLUMN_RIGHT | COLUMN_IF_ANY,
     .get = get_gpus},
    {.name = "memory",
     .title = N_("MEMORY"),
     .min = 7,
     .want = 8,
     .rank = 6,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_MIB,
     .get = usage_get_memory},
    {.name = "wanted",
     .title = N_("GPUS ASKED"),
     .min = 10,
     .want = 10,
     .rank = 7,
     .flags = COLUMN_RIGHT | COLUMN_IF_ANY,
     .get = get_gpus_wanted},
    {.name = "hours",
     .title = N_("GPU HOURS"),
     .min = 9,
     .want = 9,
     .rank = 1,
     .flags = COLUMN_RIGHT | COLUMN_IF_ANY,
     .get = get_hours},
    {.name = "due", .title = N_("USED OF SHARE"), .min = 13, .want = 32, .rank = 3, .get = get_due},
    {.name = "factor",
     .title = N_("FACTOR"),
     .min = 6,
     .want = 6,
     .rank = 4,
     .flags = COLUMN_RIGHT,
     .get = get_factor},
    {.name = "share",
     .title = N_("SHARE"),
     .min = 5,
     .want = 6,
     .flags = COLUMN_HIDDEN | COLUMN_RIGHT,
     .get = get_share},
    {.name = "used",
     .title = N_("USED"),
     .min = 5,
     .want = 6,
     .flags = COLUMN_HIDDEN | COLUMN_RIGHT,
     .get = get_used},
    {.name = "user",
     .title = N_("USER"),
     .min = 8,
     .want = 12,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = usage_get_user},
    {.name = "account",
     .title = N_("ACCOUNT"),
     .min = 8,
     .want = 12,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = usage_get_account},
};

/* --- the view --- */

static struct view *usage_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct usageview *u = xcalloc(1, sizeof *u);
    u->s.v = (struct view){.ops = &usage_view, .ui = ui};
    table_init(&u->s.table, columns, sizeof columns / sizeof columns[0], usage_fill, u);
    return &u->s.v;
}

static void usage_close(struct view *v)
{
    struct usageview *u = usage_of(v);
    holders_fini(&u->holders);
    tablescreen_fini(&u->s);
    free(u->rows);
    rec_fini(&msg_shares_rows_rec, &u->shares);
    rec_fini(&msg_shares_rows_rec, &u->next);
    free(u);
}

static void usage_sync(struct view *v)
{
    struct usageview *u = usage_of(v);
    table_refill(&u->s.table);
    usage_ask_sometimes(u);
}

static void usage_timer(struct view *v)
{
    usage_ask_sometimes(usage_of(v));
}

static void usage_title(struct view *v, struct rich *out)
{
    struct usageview *u = usage_of(v);
    rich_add(out, ROLE_TITLE, tr("Usage"));
    tableview_title(v->ui, &u->s.table, u->n_shown, out);
}

static void usage_legend(struct canvas *c, struct rect line, unsigned drawn)
{
    struct rich r;
    rich_init(&r);
    if (drawn & DRAWN_USED) {
        tableview_legend_bar(&r, ROLE_BAR_USED, GLYPH_N, tr("used of the share"), line.w - 3);
        tableview_legend_bar(&r, ROLE_BAR_IDLE, GLYPH_N, tr("beyond it"), line.w - 3);
        tableview_legend_bar(&r, ROLE_BAR_GONE, GLYPH_N, tr("left of it"), line.w - 3);
    }
    if (drawn & DRAWN_FACTOR)
        tableview_legend(&r, ROLE_LABEL, tr("FACTOR"), tr("1 is the highest priority"), line.w - 3);
    rich_draw(&r, c, line.y, line.x + 2, line.w - 3);
    rich_fini(&r);
}

#define BELOW_FROM  30 /* lines of a body that has room for details, whatever is listed */
#define BELOW_LINES 10

static void usage_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct usageview *u = usage_of(v);
    struct lines empty = {0};
    struct screen_layout inner = *l;
    lines_addf(&empty, ROLE_NORMAL, tr("No jobs in the queue."));
    bool room = inner.body.h > (int)u->s.table.shown.n + 1 && inner.body.w >= LEGEND_COLS;
    struct rect last = rect_take_bottom(&inner.body, room ? 1 : 0);
    u->drawn = 0;
    const struct trow *row = tablescreen_draw(&u->s, c, &inner, &empty);
    int due = table_find_column(&u->s.table, "due"); /* room for the numbers alone needs no words on bars */
    if (due < 0 || !due_has_bar(u->s.table.drawn[due]))
        u->drawn &= ~DRAWN_USED;
    if (!rect_is_empty(last))
        usage_legend(c, last, u->drawn);
    lines_fini(&empty);
    if (!row)
        return;
    userinfo_lines(&u->s.side.lines, v->ui, &u->holders, ((const struct usage_entry *)row->data)->shown);
    side_draw(&u->s.side, c, l);
}

static int usage_pane_lines(struct view *v, int h, int w)
{
    (void)w;
    return tableview_lines_spare(&usage_of(v)->s.table, h - 1, BELOW_FROM - 1, BELOW_LINES);
}

static unsigned usage_act(struct view *v, enum action a, const struct input *in)
{
    struct usageview *u = usage_of(v);
    const struct trow *row = table_current(&u->s.table);
    if (a == ACTION_COPY && row) {
        const struct holder *h = row->data;
        struct copy_menu *m = copy_menu_new();
        copy_menu_add(m, tr("user"), h->user);
        copy_menu_add(m, tr("account"), h->account);
        copy_menu_add_row(m, &u->s.table);
        copy_menu_open(v->ui, m);
        return DID_HANDLE | DID_REDRAW;
    }
    if (a != ACTION_OPEN_USER)
        return tableview_act(v->ui, &u->s.table, a, in);
    if (row) {
        const struct holder *r = usage_shown(row->data);
        char *filter = r->user ? xasprintf("user:%s", r->user) : xasprintf("account:%s", r->account);
        ui_go(v->ui, "jobs", filter);
        free(filter);
    }
    return DID_HANDLE | DID_REDRAW;
}

static const enum scope scopes[] = {SCOPE_USAGE, SCOPE_LIST, SCOPE_MOVE};

const struct view_ops usage_view = {
    .name = "usage",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .open = usage_open,
    .close = usage_close,
    .sync = usage_sync,
    .title = usage_title,
    .draw = usage_draw,
    .input = tablescreen_input,
    .act = usage_act,
    .timer = usage_timer,
    .table = tablescreen_table,
    .pane = tablescreen_pane,
    .pane_lines = usage_pane_lines,
};
