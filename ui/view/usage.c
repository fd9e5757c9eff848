/* usage.c - who holds and has used what, by account and user.
 *
 *        WHO           RUN WAIT   CPUS  GPUS   MEMORY  GPU HOURS  SHARE   USED  FACTOR
 *      v vision          9   60     80     8     640G      132.4   50%    61%
 *          alice         8   58     76     7     608G      120.1   50%    91%  [====......] 0.42
 *
 * What is held now is counted from the queue. GPU hours, share and factor are the scheduler's: asked for
 * while this is on the screen, at most every few seconds.
 */
#include "ui/view/usage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/model/jobtext.h"
#include "ui/view/seldom.h"
#include "ui/view/tableview.h"
#include "ui/view/userinfo.h"
#include "ui/view/words.h"
#include "ui/widget/bar.h"

#define ASK_PAUSE_MS 5000
#define TOLD_MS      20000

struct holder {
    char *account, *user;            /* user NULL: the account as a whole */
    uint32_t running, waiting, held; /* held: of the waiting ones */
    uint64_t cpus, gpus, mem_mib, gpus_wanted;
    const struct share_row *share; /* NULL: not known */
    uint64_t id;
    size_t order;
};

/* Who was found for two texts of a job, by their places: jobs of one user share theirs for the most part.
 */
struct found {
    const char *account, *user;
    struct holder *of_account, *of_user;
};
#define FOUND 256 /* a power of two */

struct usageview {
    struct tablescreen s;
    VEC(struct holder *) rows;
    struct idmap by_id;
    struct msg_shares_rows shares, next; /* next: of which pieces are still coming */
    struct seldom shares_ask;
    bool opened;
    size_t n_shown;
    struct pane told; /* beside the table: of all the queue, so it is not made anew for each picture */
    uint64_t told_of;
    struct mono told_at;
    unsigned drawn; /* DRAWN_*: columns of which the last line says what they are */
};

#define LEGEND_COLS 60 /* below there is no room for what it is about */

#define DRAWN_SHARE  1u
#define DRAWN_USED   2u
#define DRAWN_FACTOR 4u

static struct usageview *usage_of(struct view *v)
{
    return (struct usageview *)(void *)v;
}

/* --- the scheduler's side --- */

static void ask(struct usageview *u, uint32_t skip);

static void answered(struct ui *ui, struct view *owner, uint64_t arg, const struct incoming *in)
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
        ask(u, (uint32_t)u->next.rows.n);
        return;
    }
    rec_fini(&msg_shares_rows_rec, &u->shares);
    u->shares = u->next;
    u->next = (struct msg_shares_rows){0};
    u->told_of = 0;
    table_refill(&u->s.table);
    ui_changed(ui);
}

static void ask(struct usageview *u, uint32_t skip)
{
    struct msg_shares m = {.skip = skip};
    seldom_sent(&u->shares_ask, ui_send(u->s.v.ui, MSG_SHARES, &m, &u->s.v, answered, 0));
}

static void ask_sometimes(struct usageview *u)
{
    if (seldom_is_due(&u->shares_ask, u->s.v.ui, ASK_PAUSE_MS)) {
        rec_fini(&msg_shares_rows_rec, &u->next);
        ask(u, 0);
    }
    u->s.v.due = u->shares_ask.due;
}

/* --- rows --- */

static uint64_t id_of(const char *account, const char *user)
{
    uint64_t id = hash_bytes(account, strlen(account)) * 0x9e3779b97f4a7c15u;
    id ^= user ? hash_bytes(user, strlen(user)) + 1 : 0;
    return id ? id : 1;
}

static struct holder *row_of(struct usageview *u, const char *account, const char *user)
{
    uint64_t id = id_of(account, user);
    struct holder *r = idmap_get(&u->by_id, id);
    if (r)
        return r;
    r = xcalloc(1, sizeof *r);
    *r = (struct holder){.account = xstrdup(account), .user = user ? xstrdup(user) : NULL, .id = id};
    vec_push(&u->rows, r);
    idmap_set(&u->by_id, id, r);
    return r;
}

static struct found *find_of(struct usageview *u, struct found *table, const char *account,
                             const char *user)
{
    uint64_t at = ((uintptr_t)account >> 4) * 31 + ((uintptr_t)user >> 4);
    struct found *f = &table[at & (FOUND - 1)];
    if (f->account != account || f->user != user)
        *f = (struct found){.account = account,
                            .user = user,
                            .of_account = row_of(u, account, NULL),
                            .of_user = row_of(u, account, user)};
    return f;
}

static void add_waiting(struct holder *r, uint32_t n, bool held, uint64_t gpus)
{
    r->waiting += n;
    r->held += held ? n : 0;
    r->gpus_wanted += gpus;
}

static void add_running(struct holder *r, const struct job_amounts *a)
{
    r->running++;
    r->cpus += a->cpus;
    r->gpus += a->gpus;
    r->mem_mib += a->mem_mib;
}

static void count_job(struct usageview *u, struct found *table, const struct job *j)
{
    const struct found *f = find_of(u, table, userinfo_account(j), j->user ? j->user : "?");
    struct job_amounts a = {0};
    if (j->state != JOB_PENDING) {
        if (!job_is_between(j))
            a = job_amounts(j);
        add_running(f->of_account, &a);
        add_running(f->of_user, &a);
        return;
    }
    uint32_t n = job_pending_elements(j);
    uint64_t gpus = (uint64_t)n * job_gpus(j);
    add_waiting(f->of_account, n, j->hold, gpus);
    add_waiting(f->of_user, n, j->hold, gpus);
}

static void drop_rows(struct usageview *u)
{
    vec_for_each (&u->rows, i) {
        free(u->rows.v[i]->account);
        free(u->rows.v[i]->user);
        free(u->rows.v[i]);
    }
    vec_clear(&u->rows);
    idmap_fini(&u->by_id);
    u->by_id = (struct idmap){0};
}

/* Accounts by name, each with its users behind it; whoever holds more GPUs, then CPUs, first. */
static int by_account(const void *pa, const void *pb)
{
    const struct holder *a = *(struct holder *const *)pa, *b = *(struct holder *const *)pb;
    int rc = strcmp(a->account, b->account);
    if (rc || !a->user != !b->user)
        return rc ? rc : a->user ? 1 : -1;
    if (a->gpus != b->gpus)
        return a->gpus < b->gpus ? 1 : -1;
    if (a->cpus != b->cpus)
        return a->cpus < b->cpus ? 1 : -1;
    return a->user && b->user ? strcmp(a->user, b->user) : 0;
}

static void fill(void *ctx, struct table *t)
{
    struct usageview *u = ctx;
    const struct model *m = ui_model(u->s.v.ui);
    drop_rows(u);
    struct found table[FOUND] = {{NULL}};
    list_for_each (r, &m->active, struct job, in_queue)
        count_job(u, table, r);
    list_for_each (p, &m->pending, struct job, in_queue)
        count_job(u, table, p);
    for (size_t i = 0; i < u->shares.rows.n; i++) {
        const struct share_row *s = &u->shares.rows.v[i];
        if (s->parent || s->user) /* the root says nothing */
            row_of(u, s->account, s->user)->share = s;
    }
    if (u->rows.n)
        qsort(u->rows.v, u->rows.n, sizeof *u->rows.v, by_account);
    u->n_shown = 0;
    vec_for_each (&u->rows, i) {
        const struct holder *r = u->rows.v[i];
        bool branch = !r->user && i + 1 < u->rows.n && str_eq(u->rows.v[i + 1]->account, r->account);
        u->n_shown += !r->user;
        if (!r->user && !u->opened) /* at first all are open: who looks here wants users at a glance */
            table_fold(t, r->id, true);
        table_add(t, (struct trow){.id = r->id, .data = r, .depth = r->user ? 1 : 0, .branch = branch});
    }
    u->opened = u->opened || u->rows.n;
}

/* --- columns --- */

static void get_who(const void *ctx, const void *row, struct field *f)
{
    const struct usageview *u = ctx;
    const struct holder *r = row;
    if (!r->user) {
        rich_add(&f->text, ROLE_STRONG, r->account);
        return;
    }
    (void)u;
    rich_add(&f->text, ROLE_NORMAL, r->user);
}

static void get_user(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, ((const struct holder *)row)->user);
}

static void get_account(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    rich_add(&f->text, ROLE_NORMAL, ((const struct holder *)row)->account);
}

#define COUNT(name, role)                                                        \
    static void get_##name(const void *ctx, const void *row, struct field *f)    \
    {                                                                            \
        (void)ctx;                                                               \
        field_count(f, ((const struct holder *)row)->name, role);               \
    }
COUNT(running, ROLE_RUNNING)
COUNT(waiting, ROLE_WAITING)
COUNT(cpus, ROLE_NORMAL)
COUNT(gpus, ROLE_NORMAL)
COUNT(gpus_wanted, ROLE_WAITING)
#undef COUNT

static void get_memory(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    const struct holder *r = row;
    f->has_num = true;
    f->num = (double)r->mem_mib;
    if (r->mem_mib)
        mem_text(&f->text.text, r->mem_mib);
    rich_role(&f->text, ROLE_NORMAL);
}

static void get_hours(const void *ctx, const void *row, struct field *f)
{
    (void)ctx;
    const struct holder *r = row;
    if (!r->share)
        return;
    f->has_num = true;
    f->num = r->share->gpu_hours;
    if (r->share->gpu_hours >= 0.05)
        rich_addf(&f->text, ROLE_NORMAL, "%.1f", r->share->gpu_hours);
}

static void add_part(struct field *f, double part)
{
    if (!isfinite(part))
        return;
    f->has_num = true;
    f->num = part * 100;
    rich_addf(&f->text, ROLE_NORMAL, "%.0f%%", part * 100);
}

/* Remembered while the table is drawn, for the legend below it. */
static void is_drawn(const void *ctx, const struct field *f, unsigned column)
{
    if (f->room > 0)
        ((struct usageview *)(uintptr_t)ctx)->drawn |= column;
}

static void get_share(const void *ctx, const void *row, struct field *f)
{
    const struct holder *r = row;
    is_drawn(ctx, f, DRAWN_SHARE);
    if (r->share)
        add_part(f, r->share->norm_shares);
}

static void get_used(const void *ctx, const void *row, struct field *f)
{
    const struct holder *r = row;
    is_drawn(ctx, f, DRAWN_USED);
    if (r->share)
        add_part(f, r->share->effective_usage);
}

static void get_factor(const void *ctx, const void *row, struct field *f)
{
    const struct holder *r = row;
    is_drawn(ctx, f, DRAWN_FACTOR);
    if (!r->share || !r->user)
        return;
    double x = r->share->fairshare;
    f->has_num = true;
    f->num = x;
    struct bar_part part = {
        .n = (uint64_t)(x * 100), .sign = '=', .role = x >= 0.5 ? ROLE_BAR_USED : ROLE_BAR_IDLE};
    if (f->room >= 14)
        bar_parts(&f->text, &part, 1, 100, f->room - 5, false);
    rich_addf(&f->text, ROLE_NORMAL, " %.2f", x);
}

static const struct column columns[] = {
    {.name = "who",
     .title = "ACCOUNT, USER",
     .min = 14,
     .want = 30,
     .fit = 24,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = get_who},
    {.name = "running", .title = "RUN", .min = 5, .want = 6, .flags = COLUMN_RIGHT, .get = get_running},
    {.name = "waiting", .title = "WAIT", .min = 5, .want = 6, .flags = COLUMN_RIGHT, .get = get_waiting},
    {.name = "cpus",
     .title = "CPUS",
     .min = 6,
     .want = 7,
     .rank = 2,
     .flags = COLUMN_RIGHT,
     .get = get_cpus},
    {.name = "gpus", .title = "GPUS", .min = 5, .want = 6, .flags = COLUMN_RIGHT, .get = get_gpus},
    {.name = "memory",
     .title = "MEMORY",
     .min = 7,
     .want = 8,
     .rank = 6,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_MIB,
     .get = get_memory},
    {.name = "wanted",
     .title = "GPUS ASKED",
     .min = 10,
     .want = 10,
     .rank = 7,
     .flags = COLUMN_RIGHT,
     .get = get_gpus_wanted},
    {.name = "hours",
     .title = "GPU HOURS",
     .min = 9,
     .want = 10,
     .rank = 1,
     .flags = COLUMN_RIGHT,
     .get = get_hours},
    {.name = "share",
     .title = "SHARE",
     .min = 5,
     .want = 6,
     .rank = 4,
     .flags = COLUMN_RIGHT,
     .get = get_share},
    {.name = "used",
     .title = "USED",
     .min = 5,
     .want = 6,
     .rank = 5,
     .flags = COLUMN_RIGHT,
     .get = get_used},
    {.name = "factor", .title = "FAIR SHARE", .min = 10, .want = 20, .rank = 3, .get = get_factor},
    {.name = "user",
     .title = "USER",
     .min = 8,
     .want = 12,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = get_user},
    {.name = "account",
     .title = "ACCOUNT",
     .min = 8,
     .want = 12,
     .flags = COLUMN_HIDDEN | COLUMN_WORDS,
     .get = get_account},
};

/* --- the view --- */

static struct view *usage_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct usageview *u = xcalloc(1, sizeof *u);
    u->s.v = (struct view){.ops = &usage_view, .ui = ui};
    table_init(&u->s.table, columns, sizeof columns / sizeof columns[0], fill, u);
    table_refill(&u->s.table);
    ask_sometimes(u);
    return &u->s.v;
}

static void usage_close(struct view *v)
{
    struct usageview *u = usage_of(v);
    drop_rows(u);
    vec_fini(&u->rows);
    tablescreen_fini(&u->s);
    pane_fini(&u->told);
    rec_fini(&msg_shares_rows_rec, &u->shares);
    rec_fini(&msg_shares_rows_rec, &u->next);
    free(u);
}

/* Is it among what the text beside the table counts? A user's limits know no accounts. */
static bool is_told(const void *ctx, const struct job *j)
{
    const struct usageview *u = ctx;
    const struct holder *r = idmap_get(&u->by_id, u->told_of);
    return !r || (r->user ? str_eq(r->user, j->user) : str_eq(r->account, userinfo_account(j)));
}

static void usage_sync(struct view *v)
{
    struct usageview *u = usage_of(v);
    if (u->told_of && ui_any_changed(v->ui, is_told, u))
        u->told_of = 0;
    table_refill(&u->s.table);
    ask_sometimes(u);
}

static void usage_timer(struct view *v)
{
    ask_sometimes(usage_of(v));
}

static void usage_title(struct view *v, struct rich *out)
{
    struct usageview *u = usage_of(v);
    rich_add(out, ROLE_TITLE, "Usage");
    tableview_title(v->ui, &u->s.table, u->n_shown, out);
}

static void legend(struct canvas *c, struct rect line, unsigned drawn)
{
    static const char *const words[] = {"SHARE is due", "USED was had", "FAIR SHARE 1 goes first"};
    struct rich r;
    rich_init(&r);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (drawn & 1u << i)
            rich_addf(&r, ROLE_DIM, "%s%s", r.text.len ? ", " : "", words[i]);
    rich_draw(&r, c, line.y, line.x + 2, line.w - 3);
    rich_fini(&r);
}

static void usage_draw(struct view *v, struct canvas *c, const struct layout *l)
{
    struct usageview *u = usage_of(v);
    struct lines empty = {0};
    struct layout inner = *l;
    lines_addf(&empty, ROLE_NORMAL, "Nobody has a job in the queue.");
    bool room = inner.body.h > 8 && inner.body.w >= LEGEND_COLS;
    struct rect last = rect_take_bottom(&inner.body, room ? 1 : 0);
    u->drawn = 0;
    const struct trow *row = tablescreen_draw(&u->s, c, &inner, &empty);
    if (!rect_is_empty(last))
        legend(c, last, u->drawn);
    lines_fini(&empty);
    if (!row)
        return;
    if (u->told_of != row->id || ui_mono(v->ui).ns > mono_add_ms(u->told_at, TOLD_MS).ns) {
        const struct holder *r = row->data;
        lines_clear(&u->told.lines);
        userinfo_lines(&u->told.lines, v->ui, r->account, r->user, r->share);
        u->told_of = row->id;
        u->told_at = ui_mono(v->ui);
    }
    side_draw(&u->told, c, l);
}

static unsigned usage_act(struct view *v, enum action a, const struct input *in)
{
    struct usageview *u = usage_of(v);
    const struct trow *row = table_current(&u->s.table);
    if (a != ACTION_OPEN_USER)
        return tableview_act(v->ui, &u->s.table, a, in);
    if (row) {
        const struct holder *r = row->data;
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
};
