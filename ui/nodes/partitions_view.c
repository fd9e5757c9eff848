/* partitions_view.c - the partitions.
 *
 *      S PARTITION  NODES          CPU FREE GPU FREE RUN WAIT  LIMIT       WHO MAY, AND WHAT WAITS
 *      . gpu        ####..xx 2/4     96/192    10/32   4   62  7-00:00:00  12 for GPUs, 50 behind others
 */
#include "ui/nodes/partitions_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/model.h"
#include "src/text/state_text.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"
#include "ui/info/job_info.h"
#include "ui/term/signs.h"
#include "ui/view/copy_menu.h"
#include "ui/view/table_view.h"
#include "ui/widget/bar.h"

#define LABEL 13

struct part_row {
    const struct part_spec *part;
    uint32_t nodes, nodes_used, nodes_out, nodes_out_used, running, waiting, mine;
    uint64_t cpus, cpus_free, gpus, gpus_free;
    uint32_t reasons[REASON_N]; /* of the waiting ones */
};

struct parts {
    struct tablescreen s;
    struct part_row *rows;
    size_t n_rows;
};

static struct parts *partitions_parts_of(struct view *v)
{
    return (struct parts *)(void *)v;
}

/* --- counting --- */

static void partitions_count_nodes(const struct model *m, struct part_row *r)
{
    for (size_t i = 0; i < r->part->nodes.n; i++) {
        const struct node *n = model_get_node(m, r->part->nodes.v[i]);
        if (!n)
            continue;
        unsigned cpus = cpuset_count(&n->cpus_used), gpus = cpuset_count(&n->gpus_used);
        r->nodes++;
        r->nodes_used += n->n_jobs > 0;
        r->cpus += n->cpus;
        r->gpus += n->gpus;
        if (node_is_out(n)) {
            r->nodes_out += n->n_jobs == 0;
            r->nodes_out_used += n->n_jobs > 0;
            continue;
        }
        r->cpus_free += n->cpus > cpus ? n->cpus - cpus : 0;
        r->gpus_free += n->gpus > gpus ? n->gpus - gpus : 0;
    }
}

/* A waiting job may ask for several: it is counted in each of them. */
static bool asks_for(const struct job *j, const char *part)
{
    const char *list = j->req.partition ? j->req.partition : j->partition;
    size_t n = strlen(part);
    for (const char *s = list; s && *s;) {
        size_t len = strcspn(s, ",");
        if (len == n && strncmp(s, part, n) == 0)
            return true;
        s += len + (s[len] == ',');
    }
    return false;
}

static void partitions_count_job(struct parts *p, const struct job *j, bool waits)
{
    bool mine = j->uid == ui_uid(p->s.v.ui);
    for (size_t i = 0; i < p->n_rows; i++) {
        struct part_row *r = &p->rows[i];
        if (waits ? !asks_for(j, r->part->name) : !str_eq(j->partition, r->part->name))
            continue;
        uint32_t n = waits ? job_pending_elements(j) : 1;
        *(waits ? &r->waiting : &r->running) += n;
        r->mine += mine ? n : 0;
        if (waits && j->reason < REASON_N)
            r->reasons[j->reason] += n;
        if (!waits)
            return;
    }
}

static void partitions_fill(void *ctx, struct table *t)
{
    struct parts *p = ctx;
    const struct model *m = ui_model(p->s.v.ui);
    p->n_rows = m->spec.parts.n;
    free(p->rows);
    p->rows = xcalloc(p->n_rows + 1, sizeof *p->rows);
    for (size_t i = 0; i < p->n_rows; i++) {
        p->rows[i].part = &m->spec.parts.v[i];
        partitions_count_nodes(m, &p->rows[i]);
    }
    list_for_each (r, &m->active, struct job, in_queue)
        partitions_count_job(p, r, false);
    list_for_each (w, &m->pending, struct job, in_queue)
        partitions_count_job(p, w, true);
    for (size_t i = 0; i < p->n_rows; i++) {
        uint64_t id = hash_bytes(p->rows[i].part->name, strlen(p->rows[i].part->name));
        table_add(t, (struct trow){.id = id ? id : 1, .data = &p->rows[i]});
    }
}

/* --- columns --- */

static bool is_up(const struct part_row *r)
{
    return r->part->state == PART_UP;
}

static void partitions_get_sign(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct part_row *r = row;
    f->has_num = true;
    f->num = is_up(r) ? (double)r->nodes_used : -1;
    if (!is_up(r))
        rich_add(&f->text, ROLE_NODE_OUT, SIGN_NODE_OUT);
    else if (r->nodes_used == 0)
        rich_add(&f->text, ROLE_NODE_FREE, SIGN_NODE_FREE);
    else
        rich_add(&f->text, r->cpus_free ? ROLE_NODE_PART : ROLE_NODE_FULL,
                 r->cpus_free ? SIGN_NODE_PART : SIGN_NODE_FULL);
}

static void partitions_get_name(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct part_row *r = row;
    rich_add(&f->text, ROLE_STRONG, r->part->name);
    if (r->part->is_default)
        rich_add(&f->text, ROLE_DIM, "*");
}

static void partitions_get_nodes(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct part_row *r = row;
    f->has_num = true;
    f->num = r->nodes;
    if (f->room > 12)
        bar_two_ended(&f->text, r->nodes_used, r->nodes_out, r->nodes, f->room - 8);
    rich_addf(&f->text, ROLE_NORMAL, " %u/%u", r->nodes_used, r->nodes);
}

/* Where nothing may start nothing is free. */
static void free_of(struct table_field *f, const struct part_row *r, uint64_t n, uint64_t all)
{
    if (!is_up(r))
        return;
    f->has_num = true;
    f->num = (double)n;
    if (all)
        rich_addf(&f->text, n ? ROLE_GOOD : ROLE_DIM, "%llu", (unsigned long long)n);
    char of[32];
    int width = snprintf(of, sizeof of, tr(" of %llu"), (unsigned long long)all);
    if (all && (f->room <= 0 || cell_width(f->text.text.s) + width <= f->room))
        rich_add(&f->text, ROLE_DIM, of);
}

static void partitions_get_cpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct part_row *r = row;
    free_of(f, r, r->cpus_free, r->cpus);
}

static void partitions_get_gpus(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct part_row *r = row;
    free_of(f, r, r->gpus_free, r->gpus);
}

static void partitions_get_running(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, ((const struct part_row *)row)->running, ROLE_RUNNING);
}

static void get_waiting(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, ((const struct part_row *)row)->waiting, ROLE_WAITING);
}

static void get_mine(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    field_count(f, ((const struct part_row *)row)->mine, ROLE_STRONG);
}

static void partitions_get_limit(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct part_spec *p = ((const struct part_row *)row)->part;
    char b[UNITS_TEXT_SIZE];
    f->has_num = true;
    f->num = p->max_time_s;
    rich_add(&f->text, ROLE_NORMAL,
             p->max_time_s == DURATION_UNLIMITED || p->max_time_s == DURATION_NOT_SET
                 ? tr("no limit")
                 : duration_format(p->max_time_s, b));
}

static void get_tier(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    uint32_t tier = ((const struct part_row *)row)->part->priority_tier;
    f->has_num = true;
    f->num = tier;
    rich_addf(&f->text, ROLE_NORMAL, "%u", tier);
}

static void partitions_add_list(struct rich *r, const char *what, const struct strv *names)
{
    if (!names->n)
        return;
    char *list = strv_join(names, ", ");
    rich_addf(r, ROLE_DIM, "%s%s ", r->text.len ? "; " : "", what);
    rich_add(r, ROLE_NORMAL, list);
    free(list);
}

static void who_may(struct rich *r, const struct part_spec *p)
{
    partitions_add_list(r, tr("groups"), &p->allow_groups);
    partitions_add_list(r, tr("accounts"), &p->allow_accounts);
    partitions_add_list(r, tr("QOS"), &p->allow_qos);
    if (!r->text.len)
        rich_add(r, ROLE_DIM, tr("all users"));
}

static void partitions_get_who(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct part_row *r = row;
    if (!is_up(r))
        rich_addf(&f->text, ROLE_WARN, "%s  ", part_state_word((enum part_state)r->part->state));
    struct rich who;
    rich_init(&who);
    who_may(&who, r->part);
    rich_add(&f->text, ROLE_NORMAL, who.text.s);
    rich_fini(&who);
}

static const struct table_column columns[] = {
    {.name = "sign", .title = "S", .min = 1, .want = 1, .get = partitions_get_sign},
    {.name = "partition",
     .title = N_("PARTITION"),
     .min = 10,
     .want = 30,
     .fit = 20,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = partitions_get_name},
    {.name = "nodes", .title = N_("NODES"), .min = 8, .want = 22, .rank = 5, .get = partitions_get_nodes},
    {.name = "cpus",
     .title = N_("CPU FREE"),
     .min = 10,
     .want = 12,
     .fit = 12,
     .rank = 3,
     .flags = COLUMN_RIGHT,
     .get = partitions_get_cpus},
    {.name = "gpus",
     .title = N_("GPU FREE"),
     .min = 8,
     .want = 12,
     .fit = 12,
     .rank = 2,
     .flags = COLUMN_RIGHT | COLUMN_IF_ANY,
     .get = partitions_get_gpus},
    {.name = "running",
     .title = N_("RUN"),
     .min = 5,
     .want = 6,
     .flags = COLUMN_RIGHT,
     .get = partitions_get_running},
    {.name = "waiting",
     .title = N_("WAIT"),
     .min = 5,
     .want = 6,
     .flags = COLUMN_RIGHT,
     .get = get_waiting},
    {.name = "mine",
     .title = N_("MINE"),
     .min = 5,
     .want = 5,
     .rank = 7,
     .flags = COLUMN_RIGHT,
     .get = get_mine},
    {.name = "limit",
     .title = N_("LONGEST"),
     .min = 8,
     .want = 10,
     .fit = 10,
     .rank = 4,
     .flags = COLUMN_RIGHT,
     .unit = FILTER_SECONDS,
     .get = partitions_get_limit},
    {.name = "tier",
     .title = N_("TIER"),
     .min = 4,
     .want = 4,
     .rank = 8,
     .flags = COLUMN_RIGHT,
     .get = get_tier},
    {.name = "who",
     .title = N_("FOR"),
     .min = 12,
     .share = 20,
     .rank = 6,
     .flags = COLUMN_WORDS,
     .get = partitions_get_who},
};

/* --- the view --- */

static struct view *parts_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct parts *p = xcalloc(1, sizeof *p);
    p->s.v = (struct view){.ops = &parts_view, .ui = ui};
    table_init(&p->s.table, columns, sizeof columns / sizeof columns[0], partitions_fill, p);
    return &p->s.v;
}

static void parts_close(struct view *v)
{
    struct parts *p = partitions_parts_of(v);
    tablescreen_fini(&p->s);
    free(p->rows);
    free(p);
}

static void parts_title(struct view *v, struct rich *out)
{
    rich_add(out, ROLE_TITLE, tr("Partitions"));
    tableview_title(v->ui, &partitions_parts_of(v)->s.table, partitions_parts_of(v)->n_rows, out);
}

static void partitions_add_time(struct lines *l, const char *label, uint32_t s, const char *none)
{
    char b[UNITS_TEXT_SIZE];
    rich_add(lines_pair(l, label, LABEL), ROLE_NORMAL,
             s == DURATION_UNLIMITED || s == DURATION_NOT_SET ? none : duration_format(s, b));
}

/* Of jobs that name none. */
static void partitions_memory_lines(struct lines *l, const struct part_spec *p)
{
    const char *label = tr("memory");
    char b[UNITS_TEXT_SIZE];
    if (p->default_mem_gpu_mib) {
        rich_addf(lines_pair(l, label, LABEL), ROLE_NORMAL, tr("%s for each GPU by default"),
                  mem_format_words(p->default_mem_gpu_mib * 1024, b));
        label = "";
    }
    if (p->default_mem_cpu_mib)
        rich_addf(lines_pair(l, label, LABEL), ROLE_NORMAL, tr("%s for each CPU by default"),
                  mem_format_words(p->default_mem_cpu_mib * 1024, b));
    if (p->default_mem_node_mib)
        rich_addf(lines_pair(l, label, LABEL), ROLE_NORMAL, tr("%s on each node by default"),
                  mem_format_words(p->default_mem_node_mib * 1024, b));
}

static void partitions_limit_lines(struct lines *l, const struct part_spec *p)
{
    static const char *const preempt[] = {N_("not preemptable"), N_("by higher tiers: requeued"),
                                          N_("by higher tiers: cancelled")};
    char b[UNITS_TEXT_SIZE];
    jobinfo_section(l, tr("Limits"));
    partitions_add_time(l, tr("longest"), p->max_time_s, tr("no limit"));
    partitions_add_time(l, tr("by default"), p->default_time_s, tr("same as longest"));
    partitions_memory_lines(l, p);
    if (p->max_nodes != UINT32_MAX)
        rich_addf(lines_pair(l, tr("nodes per job"), LABEL), ROLE_NORMAL, tr("at most %u"), p->max_nodes);
    rich_addf(lines_pair(l, tr("tier"), LABEL), ROLE_NORMAL, "%u", p->priority_tier);
    if (p->preempt_mode <= PREEMPT_CANCEL)
        rich_addf(lines_pair(l, tr("preemption"), LABEL), p->preempt_mode ? ROLE_PREEMPTED : ROLE_NORMAL,
                  "%s", tr(preempt[p->preempt_mode]));
    if (p->preempt_mode && p->grace_s)
        rich_addf(lines_pair(l, "", LABEL), ROLE_DIM, tr("%s after the notice"),
                  duration_format_words(p->grace_s, b));
    if (p->preempt_exempt_s)
        rich_addf(lines_pair(l, "", LABEL), ROLE_DIM, tr("not before a run of %s"),
                  duration_format_words(p->preempt_exempt_s, b));
    if (p->batch_only)
        rich_add(lines_pair(l, tr("takes"), LABEL), ROLE_NORMAL, tr("batch jobs only"));
    struct rich who;
    rich_init(&who);
    who_may(&who, p);
    rich_add(lines_pair(l, tr("for"), LABEL), ROLE_NORMAL, who.text.s);
    rich_fini(&who);
}

static void waiting_lines(struct lines *l, const struct part_row *r)
{
    if (!r->waiting)
        return;
    jobinfo_section(l, tr("Why jobs wait"));
    for (int k = 0; k < REASON_N; k++)
        if (r->reasons[k]) {
            struct rich *line = lines_add(l);
            rich_addf(line, ROLE_WAITING, "%5u  ", r->reasons[k]);
            rich_add(line, ROLE_NORMAL, reason_text((enum reason)k));
            line->hang = 7;
        }
}

static void partitions_fill_side(struct parts *p, const struct part_row *r)
{
    struct lines *l = &p->s.side.lines;
    lines_clear(l);
    struct rich *t = lines_add(l);
    rich_addf(t, ROLE_TITLE, "%s", r->part->name);
    rich_addf(t, is_up(r) ? ROLE_GOOD : ROLE_ERROR, "  %s",
              part_state_word((enum part_state)r->part->state));
    if (r->part->is_default)
        rich_add(t, ROLE_DIM, tr("  default partition"));
    rich_addf(lines_pair(l, tr("CPUs"), LABEL), ROLE_NORMAL, tr("%llu free of %llu"),
              (unsigned long long)r->cpus_free, (unsigned long long)r->cpus);
    if (r->gpus)
        rich_addf(lines_pair(l, tr("GPUs"), LABEL), ROLE_NORMAL, tr("%llu free of %llu"),
                  (unsigned long long)r->gpus_free, (unsigned long long)r->gpus);
    rich_addf(lines_pair(l, tr("nodes"), LABEL), ROLE_NORMAL, tr("%u of %u in use, %u out"), r->nodes_used,
              r->nodes, r->nodes_out + r->nodes_out_used);
    waiting_lines(l, r);
    partitions_limit_lines(l, r->part);
}

static void parts_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct parts *p = partitions_parts_of(v);
    struct lines empty = {0};
    lines_addf(&empty, ROLE_NORMAL, tr("No partitions are configured."));
    const struct trow *row = tablescreen_draw(&p->s, c, l, &empty);
    lines_fini(&empty);
    if (!row)
        return;
    partitions_fill_side(p, row->data);
    side_draw(&p->s.side, c, l);
}

static int parts_pane_lines(struct view *v, int h, int w)
{
    (void)w;
    return tablescreen_lines_below(&partitions_parts_of(v)->s, h, h / 2 - 1);
}

static void partitions_copy(struct parts *p, const struct part_row *r)
{
    struct copy_menu *m = copy_menu_new();
    char *nodes = hostlist_compress(&r->part->nodes);
    copy_menu_add(m, tr("name"), r->part->name);
    copy_menu_add(m, tr("nodes"), nodes);
    copy_menu_add_row(m, &p->s.table);
    free(nodes);
    copy_menu_open(p->s.v.ui, m);
}

static unsigned parts_act(struct view *v, enum action a, const struct input *in)
{
    struct parts *p = partitions_parts_of(v);
    const struct trow *row = table_current(&p->s.table);
    if (a == ACTION_COPY && row) {
        partitions_copy(p, row->data);
        return DID_HANDLE | DID_REDRAW;
    }
    if (a != ACTION_OPEN_PART)
        return tableview_act(v->ui, &p->s.table, a, in);
    if (row) {
        char *filter = xasprintf("part:%s", ((const struct part_row *)row->data)->part->name);
        ui_go(v->ui, "jobs", filter);
        free(filter);
    }
    return DID_HANDLE | DID_REDRAW;
}

static const enum scope scopes[] = {SCOPE_PARTS, SCOPE_LIST, SCOPE_MOVE};

const struct view_ops parts_view = {
    .name = "partitions",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .open = parts_open,
    .close = parts_close,
    .sync = tablescreen_sync,
    .title = parts_title,
    .draw = parts_draw,
    .input = tablescreen_input,
    .act = parts_act,
    .table = tablescreen_table,
    .pane = tablescreen_pane,
    .pane_lines = parts_pane_lines,
};
