/* cmd_nodes.c - stoker nodes: what the machines carry. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/cli/ask.h"
#include "src/cli/listing/format.h"
#include "src/cli/listing/nodepick.h"
#include "src/cli/listing/texttable.h"
#include "src/lang/lang.h"
#include "src/model/nodestate.h"
#include "src/record/json.h"
#include "src/text/nodetext.h"
#include "src/text/state_text.h"
#include "src/values/units.h"

#define BAR_CELLS       8
#define WINDOW_AHEAD_MS (24 * 3600 * MS_PER_S)

struct nodes {
    bool json, named; /* named: operands say which */
};

enum { O_JSON = 1 };

static const struct opt option_table[] = {{.id = O_JSON, .name = "json", .help = N_("print JSON")}};
static int cmd_nodes_set_option(void *ctx, const struct opt *o, __attribute__((unused)) const char *arg,
                                __attribute__((unused)) struct errtext *err)
{
    struct nodes *n = ctx;
    n->json = n->json || o->id == O_JSON;
    return 0;
}

static const struct opts options = OPTS(option_table, cmd_nodes_set_option);

/* Of the nodes that a job's cleaning-up makes "completing" the listing takes no note: a person sees them as
 * in use. */
static void nodes_append_state(struct str *out, const struct node *n)
{
    str_appendf(out, "%c ", node_glyph(n));
    nodetext_state(out, n, false, true);
}

static enum tone node_tone(const struct node *n)
{
    switch (node_look(n, false)) {
    case NODE_LOOK_IDLE: return TONE_PLAIN;
    case NODE_LOOK_MIX:
    case NODE_LOOK_ALLOC:
    case NODE_LOOK_COMP: return TONE_GOOD;
    case NODE_LOOK_DRAIN:
    case NODE_LOOK_DRNG: return TONE_WARN;
    case NODE_LOOK_DOWN:
    case NODE_LOOK_UNK:
    case NODE_N_LOOKS: return TONE_BAD;
    }
    return TONE_PLAIN;
}

static void append_separator(struct str *out)
{
    if (out->len)
        str_append(out, "; ");
}

static void append_window(struct str *out, const struct window *w, struct wall now)
{
    char iso[WALL_TEXT_SIZE];
    bool is_open = w->start.ms <= now.ms;
    append_separator(out);
    wall_format_iso(is_open ? w->end : w->start, iso);
    if (w->kind == WINDOW_MAINTENANCE)
        str_appendf(out, is_open ? tr("maintenance %s until %s") : tr("maintenance %s from %s"), w->name,
                    iso);
    else
        str_appendf(out, is_open ? tr("reservation %s until %s") : tr("reservation %s from %s"), w->name,
                    iso);
    if (!str_is_empty(w->reason))
        str_appendf(out, ": %s", w->reason);
}

/* "4 GPUs configured, 2 found", and the windows that keep it now or within a day: "maintenance root_1 until
 * 2026-11-22T18:00:00: disks". */
static void append_concerns(struct str *out, const struct node *n, const struct model *m)
{
    if (node_lacks_gpus(n)) {
        append_separator(out);
        str_appendf(out, trn("%u GPU configured, %u found", "%u GPUs configured, %u found", n->spec.gpus),
                    n->spec.gpus, n->gpus_found);
    }
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        if (w->end.ms > m->now.ms && w->start.ms < m->now.ms + WINDOW_AHEAD_MS &&
            window_has_node(w, n->spec.name))
            append_window(out, w, m->now);
    }
}

static void append_avoids(struct str *out, const struct node *n)
{
    for (size_t i = 0; i < n->avoids.n; i++) {
        const char *user = n->avoids.v[i].user, *why = n->avoids.v[i].text ? n->avoids.v[i].text : "?";
        append_separator(out);
        if (user)
            str_appendf(out, tr("starts no jobs of %s: %s"), user, why);
        else
            str_appendf(out, tr("starts no jobs: %s"), why);
    }
}

/* "drained by alice 2026-11-21T10:00:00: fan broken"; what the node announces where nothing is wrong. */
static void append_note(struct str *out, const struct node *n, const struct model *m)
{
    char iso[WALL_TEXT_SIZE];
    if (n->drain) {
        str_append(out, n->drain_reason ? n->drain_reason : tr("drained"));
        if (n->drain_user)
            str_appendf(out, " (%s", n->drain_user);
        if (wall_is_set(n->t_drain))
            str_appendf(out, "%s%s", n->drain_user ? ", " : " (", wall_format_iso(n->t_drain, iso));
        if (n->drain_user || wall_is_set(n->t_drain))
            str_append_char(out, ')');
    } else if (!node_responds(n)) {
        const char *state = node_state_word((enum node_state)n->state);
        if (wall_is_set(n->t_state))
            str_appendf(out, tr("%s since %s"), state, wall_format_iso(n->t_state, iso));
        else
            str_append(out, state);
        if (n->trouble)
            str_appendf(out, ": %s", n->trouble);
    }
    if (n->gone) {
        append_separator(out);
        str_append(out, tr("no longer configured"));
    }
    if (n->note) {
        append_separator(out);
        str_appendf(out, "%s (%s)", n->note, n->note_user ? n->note_user : "?");
    }
    append_concerns(out, n, m);
    uint32_t n_unknown = n->drain ? 0 : node_rare(n)->n_unknown;
    if (n_unknown) {
        append_separator(out);
        str_appendf(out,
                    trn("%u task that this controller does not know: stoker node tasks %s",
                        "%u tasks that this controller does not know: stoker node tasks %s", n_unknown),
                    n_unknown, n->spec.name);
    }
    append_avoids(out, n);
    for (size_t i = 0; i < n->gpu_notes.n; i++) {
        append_separator(out);
        str_append(out, n->gpu_notes.v[i]);
    }
    for (size_t i = 0; i < n->notes.n; i++) {
        append_separator(out);
        str_append(out, n->notes.v[i]);
    }
}

static void nodes_add_use(struct texttable *t, uint64_t used, uint64_t total)
{
    struct str s = STR_INIT;
    if (!total) {
        texttable_add(t, TONE_DIM, NULL);
        return;
    }
    bar_append(&s, used, total, BAR_CELLS);
    str_appendf(&s, " %" PRIu64 "/%" PRIu64, used, total);
    texttable_add(t, TONE_PLAIN, s.s);
    str_fini(&s);
}

static void add_memory(struct texttable *t, const struct node *n)
{
    struct str s = STR_INIT;
    char used[UNITS_TEXT_SIZE], total[UNITS_TEXT_SIZE];
    if (!n->mem_mib) {
        texttable_add(t, TONE_DIM, NULL);
        return;
    }
    bar_append(&s, n->mem_used_mib, n->mem_mib, BAR_CELLS);
    str_appendf(&s, " %s/%s", n->mem_used_mib ? mem_format_words(n->mem_used_mib * 1024, used) : "0",
                mem_format_words(n->mem_mib * 1024, total));
    texttable_add(t, TONE_PLAIN, s.s);
    str_fini(&s);
}

static const struct table_col node_cols[] = {
    {.title = N_("NODE"), .flex = 8},
    {.title = N_("STATE")},
    {.title = N_("CPUS")},
    {.title = N_("MEMORY"), .drop = 3},
    {.title = N_("GPUS")},
    {.title = N_("TYPE"), .flex = 4, .drop = 4},
    {.title = N_("JOBS"), .right = true},
    {.title = N_("NOTE"), .flex = 10},
};

static void print_nodes(const struct node_pick *nodes, const struct model *m, struct str *out)
{
    struct texttable t = TEXTTABLE_INIT(node_cols);
    struct str s = STR_INIT;
    vec_for_each (&nodes->v, i) {
        const struct node *n = nodes->v.v[i];
        texttable_add(&t, TONE_PLAIN, n->spec.name);
        str_clear(&s);
        nodes_append_state(&s, n);
        texttable_add(&t, node_tone(n), s.s);
        nodes_add_use(&t, cpuset_count(&n->cpus_used), n->cpus);
        add_memory(&t, n);
        nodes_add_use(&t, cpuset_count(&n->gpus_used), n->gpus);
        texttable_add(&t, TONE_PLAIN, n->gpu_type);
        texttable_addf(&t, TONE_PLAIN, "%u", n->n_jobs);
        str_clear(&s);
        append_note(&s, n, m);
        texttable_add(&t, TONE_PLAIN, s.s);
    }
    texttable_print(&t, out, listing_width(), color_is_welcome());
    texttable_fini(&t);
    str_fini(&s);
}

/* What has happened to a node, where it alone is asked for. */
static void print_events(const struct node *n, struct str *out)
{
    static const struct table_col columns[] = {{.title = N_("WHEN")}, {.title = N_("EVENT")}};
    struct texttable t = TEXTTABLE_INIT(columns);
    struct str s = STR_INIT;
    char iso[WALL_TEXT_SIZE];
    if (!n->events.n)
        return;
    for (size_t i = 0; i < n->events.n; i++) {
        str_clear(&s);
        nodetext_event(&s, &n->events.v[i]);
        texttable_add(&t, TONE_DIM, wall_format_iso(n->events.v[i].t, iso));
        texttable_add(&t, TONE_PLAIN, s.s);
    }
    str_append_char(out, '\n');
    texttable_print(&t, out, listing_width(), color_is_welcome());
    texttable_fini(&t);
    str_fini(&s);
}

/* Names of the windows that keep it, now or later. */
static void windows_json(struct str *out, const struct node *n, const struct model *m)
{
    json_begin_array(out, "windows");
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        if (w->end.ms > m->now.ms && window_has_node(w, n->spec.name))
            json_text(out, NULL, w->name);
    }
    json_end_array(out);
}

static void node_events_json(struct str *out, const struct node *n)
{
    struct str s = STR_INIT;
    json_begin_array(out, "events");
    for (size_t i = 0; i < n->events.n; i++) {
        const struct node_event *e = &n->events.v[i];
        str_clear(&s);
        nodetext_event(&s, e);
        json_begin_object(out, NULL);
        json_int(out, "time", e->t.ms / MS_PER_S);
        json_text(out, "event", s.s);
        json_text(out, "user", e->user);
        json_end_object(out);
    }
    json_end_array(out);
    str_fini(&s);
}

static void node_json(struct str *out, const struct node *n, const struct model *m)
{
    struct str text = STR_INIT;
    char *cpus = cpuset_format(&n->cpus_used), *gpus = cpuset_format(&n->gpus_used);
    char *gpus_out = cpuset_format(&node_rare(n)->gpus_out),
         *gpus_lost = cpuset_format(&node_rare(n)->gpus_lost);
    json_begin_object(out, NULL);
    json_text(out, "name", n->spec.name);
    nodetext_state(&text, n, false, true);
    json_text(out, "state", text.s);
    json_text(out, "reachable", node_state_text((enum node_state)n->state));
    json_bool(out, "drain", n->drain);
    json_text(out, "reason", n->drain_reason);
    json_text(out, "reason_user", n->drain_user);
    json_int(out, "reason_time", n->t_drain.ms / MS_PER_S);
    json_int(out, "cpus", n->cpus);
    json_int(out, "cpus_used", cpuset_count(&n->cpus_used));
    json_text(out, "cpu_ids_used", cpus);
    json_int(out, "mem_mib", (int64_t)n->mem_mib);
    json_int(out, "mem_used_mib", (int64_t)n->mem_used_mib);
    json_int(out, "gpus", n->gpus);
    json_int(out, "gpus_found", n->gpus_found);
    json_int(out, "gpus_used", cpuset_count(&n->gpus_used));
    json_text(out, "gpu_ids_used", gpus);
    json_text(out, "gpu_ids_out", gpus_out);
    json_text(out, "gpu_ids_lost", gpus_lost);
    json_text(out, "gpu_type", n->gpu_type);
    json_int(out, "jobs", n->n_jobs);
    json_int(out, "tasks_unknown", node_rare(n)->n_unknown);
    json_text(out, "trouble", n->trouble);
    json_text(out, "note", n->note);
    json_text(out, "address", n->spec.address);
    json_text(out, "version", n->version);
    json_int(out, "boot_time", n->t_boot.ms / MS_PER_S);
    json_texts(out, "features", &n->spec.features);
    json_texts(out, "notes", &n->notes);
    windows_json(out, n, m);
    node_events_json(out, n);
    json_end_object(out);
    str_fini(&text);
    free(cpus);
    free(gpus);
    free(gpus_out);
    free(gpus_lost);
}

static void nodes_json(const struct node_pick *nodes, const struct model *m, struct str *out)
{
    json_begin_document(out, 1);
    json_begin_array(out, "nodes");
    vec_for_each (&nodes->v, i)
        node_json(out, nodes->v.v[i], m);
    json_end_array(out);
    json_end_document(out);
}

static void cmd_nodes_show(void *ctx, __attribute__((unused)) struct client *c, const struct model *m,
                           const struct node_pick *nodes, struct str *out)
{
    const struct nodes *o = ctx;
    if (o->json)
        nodes_json(nodes, m, out);
    else
        print_nodes(nodes, m, out);
    if (!o->json && o->named && nodes->v.n == 1)
        print_events(nodes->v.v[0], out);
}

static int nodes_run(struct cli *cli, int argc, char **argv)
{
    struct nodes o = {0};
    struct strv operands = {0};
    int rc = 0;
    if (cli_parse(cli, &o, argc, argv, 0, &operands, &rc)) {
        o.named = operands.n > 0;
        rc = nodes_show(cli, &(struct msg_get){.what = GET_SPEC | GET_NODES | GET_WINDOWS}, &operands,
                        cmd_nodes_show, &o);
    }
    strv_fini(&operands);
    return rc;
}

const struct command cmd_nodes = {
    .name = "nodes",
    .summary = N_("Show the nodes: state, what is used, why they are out of use; of one node its events"),
    .usage = "[--json] [NODES...]",
    .options = &options,
    .run = nodes_run,
};
