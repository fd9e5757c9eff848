/* cmd_gpus.c - stoker gpus: every device, whose it is, and how busy. */
#include <stdlib.h>
#include <string.h>

#include "src/cli/ask.h"
#include "src/cli/jobfilter.h"
#include "src/cli/listing/format.h"
#include "src/cli/listing/nodepick.h"
#include "src/cli/listing/texttable.h"
#include "src/lang/lang.h"
#include "src/model/nodestate.h"
#include "src/os/clock.h"
#include "src/record/json.h"
#include "src/text/jobtext.h"
#include "src/text/nodetext.h"
#include "src/values/units.h"

#define MEASURE_MS 2000 /* nodes that measure something say it within a second */

struct gpus_cmd {
    bool json, use;
};

enum { O_JSON = 1, O_USE };

static const struct opt option_table[] = {
    {.id = O_JSON, .name = "json", .help = N_("print JSON")},
    {.id = O_USE, .name = "use", .letter = 'u', .help = N_("measure how busy each is, one line per GPU")},
};

static int cmd_gpus_set_option(void *ctx, const struct opt *o, __attribute__((unused)) const char *arg,
                               __attribute__((unused)) struct errtext *err)
{
    struct gpus_cmd *g = ctx;
    g->json = g->json || o->id == O_JSON;
    g->use = g->use || o->id == O_USE;
    return 0;
}

static const struct opts options = OPTS(option_table, cmd_gpus_set_option);

/* --- whose --- */

/* Whose each device is: one entry for each device of each node. */
struct gpu_owner {
    const struct node *node;
    unsigned index;
    const struct job *job; /* NULL: free */
    bool measured;
    struct gpu_util use;
};

struct gpu_map {
    VEC(struct gpu_owner) v;
};

static void gpus_claim(struct gpu_map *map, const struct job *j, const struct alloc *a)
{
    vec_for_each (&map->v, i) {
        struct gpu_owner *g = &map->v.v[i];
        if (a->node && cpuset_has(&a->gpus, g->index) && strcmp(g->node->spec.name, a->node) == 0)
            g->job = j;
    }
}

static void map_gpus(const struct model *m, const struct node_pick *nodes, struct gpu_map *map)
{
    vec_for_each (&nodes->v, i)
        for (unsigned k = 0; k < nodes->v.v[i]->gpus; k++)
            vec_push(&map->v, (struct gpu_owner){.node = nodes->v.v[i], .index = k});
    list_for_each (j, &m->active, struct job, in_queue) {
        for (size_t i = 0; j->holding && i < j->alloc.n; i++)
            gpus_claim(map, j, &j->alloc.v[i]);
        for (size_t i = 0; j->kind == JOB_KIND_STEPS && i < j->steps.n; i++)
            for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
                const struct task *t = &j->steps.v[i].tasks.v[k];
                if (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING)
                    gpus_claim(map, j, &t->alloc);
            }
    }
}

/* One letter for each job, in the order of the devices; '*' where letters run out. X is for broken devices,
 * as on the screen. */
struct legend {
    VEC(const struct job *) jobs;
};

static char letter_of(struct legend *l, const struct job *j)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwyz0123456789";
    size_t i = 0;
    while (i < l->jobs.n && l->jobs.v[i] != j)
        i++;
    if (i == l->jobs.n)
        vec_push(&l->jobs, j);
    return i < sizeof letters - 1 ? letters[i] : '*';
}

/* A device in use by a job that this answer does not hold is still not free. */
static char gpu_cell(struct legend *l, const struct gpu_owner *g)
{
    if (g->job)
        return letter_of(l, g->job);
    if (cpuset_has(&g->node->gpus_used, g->index))
        return '?';
    if (node_gpu_is_out(g->node, g->index))
        return cpuset_has(&node_rare(g->node)->gpus_lost, g->index) ? 'X' : '!';
    return g->node->drain || !node_responds(g->node) ? '#' : '.';
}

static const struct table_col gpu_cols[] = {{.title = N_("NODE"), .flex = 8},
                                            {.title = N_("TYPE"), .flex = 4},
                                            {.title = N_("FREE"), .right = true},
                                            {.title = N_("DEVICES")}};

static bool any_out(const struct gpu_map *map)
{
    vec_for_each (&map->v, i)
        if (node_gpu_is_out(map->v.v[i].node, map->v.v[i].index))
            return true;
    return false;
}

static void print_gpu_notes(const struct gpu_map *map, struct str *out)
{
    vec_for_each (&map->v, i) {
        const struct gpu_owner *g = &map->v.v[i];
        const char *note = node_gpu_note(g->node, g->index);
        if (!note)
            continue;
        str_appendf(out, "%s GPU %u: ", g->node->spec.name, g->index);
        text_append_foreign(out, note, "");
        str_append_char(out, '\n');
    }
}

static const char *gpu_state(const struct gpu_owner *g)
{
    if (g->job || cpuset_has(&g->node->gpus_used, g->index))
        return N_("used");
    if (node_gpu_is_out(g->node, g->index))
        return cpuset_has(&node_rare(g->node)->gpus_lost, g->index) ? N_("lost") : N_("foreign");
    return !g->node->drain && node_responds(g->node) ? N_("free") : N_("out");
}

/* "  job 4711_3", behind the user and the name. */
static void append_job_id(struct str *out, const struct job *j)
{
    struct str id = STR_INIT;
    jobtext_id(&id, j, BITSTR_LEN_DEFAULT);
    str_appendf(out, tr("  job %s"), id.s);
    str_fini(&id);
}

static void print_gpus(const struct gpu_map *map, struct str *out)
{
    struct texttable t = TEXTTABLE_INIT(gpu_cols);
    struct legend l = {.jobs = VEC_INIT};
    struct str cells = STR_INIT;
    for (size_t i = 0; i < map->v.n;) {
        const struct node *n = map->v.v[i].node;
        unsigned free_n = 0;
        str_clear(&cells);
        for (; i < map->v.n && map->v.v[i].node == n; i++) {
            char c = gpu_cell(&l, &map->v.v[i]);
            free_n += c == '.';
            str_append_char(&cells, c);
        }
        texttable_add(&t, TONE_PLAIN, n->spec.name);
        texttable_add(&t, TONE_PLAIN, n->gpu_type);
        texttable_addf(&t, TONE_PLAIN, "%u/%u", free_n, n->gpus);
        texttable_add(&t, TONE_PLAIN, cells.s);
    }
    if (!map->v.n) {
        str_append(out, tr("no node has a GPU\n"));
    } else {
        texttable_print(&t, out, listing_width(), color_is_welcome());
        str_append(out, any_out(map) ? tr(". free  # out of use  ! used by others  X broken\n")
                                     : tr(". free  # out of use\n"));
        print_gpu_notes(map, out);
    }
    vec_for_each (&l.jobs, i) {
        const struct job *j = l.jobs.v[i];
        str_appendf(out, "%c ", letter_of(&l, j));
        text_append_foreign(out, j->user, "?");
        str_append_char(out, '/');
        text_append_foreign(out, j->req.name, "");
        append_job_id(out, j);
        str_append_char(out, '\n');
    }
    vec_fini(&l.jobs);
    str_fini(&cells);
    texttable_fini(&t);
}

static void gpus_json(const struct gpu_map *map, struct str *out)
{
    struct str id = STR_INIT;
    json_begin_document(out, 1);
    json_begin_array(out, "gpus");
    vec_for_each (&map->v, i) {
        const struct gpu_owner *g = &map->v.v[i];
        json_begin_object(out, NULL);
        json_text(out, "node", g->node->spec.name);
        json_int(out, "index", g->index);
        json_text(out, "type", g->node->gpu_type);
        json_text(out, "state", gpu_state(g));
        str_clear(&id);
        if (g->job)
            jobtext_id(&id, g->job, 0);
        json_text(out, "job", id.s);
        json_text(out, "user", g->job ? g->job->user : NULL);
        json_text(out, "name", g->job ? g->job->req.name : NULL);
        json_text(out, "note", node_gpu_note(g->node, g->index));
        if (g->measured) {
            json_int(out, "busy_percent", g->use.busy_pct);
            json_int(out, "mem_used_mib", (int64_t)g->use.mem_used_mib);
            json_int(out, "mem_mib", (int64_t)g->use.mem_mib);
            json_int(out, "foreign", g->use.foreign);
            json_int(out, "idle_seconds", g->use.idle_s);
        }
        json_end_object(out);
    }
    json_end_array(out);
    json_end_document(out);
    str_fini(&id);
}

/* --- how busy --- */

static void take_use(struct gpu_map *map, struct strv *heard, const struct msg_util *u)
{
    if (!u->node || strv_has(heard, u->node))
        return;
    strv_push(heard, u->node);
    vec_for_each (&map->v, i)
        for (size_t k = 0; k < u->gpus.n && strcmp(map->v.v[i].node->spec.name, u->node) == 0; k++)
            if (u->gpus.v[k].index == map->v.v[i].index) {
                map->v.v[i].measured = true;
                map->v.v[i].use = u->gpus.v[k];
            }
}

static bool gpus_lacks_nodes(const struct gpu_map *map, const struct strv *heard)
{
    vec_for_each (&map->v, i)
        if (node_responds(map->v.v[i].node) && !strv_has(heard, map->v.v[i].node->spec.name))
            return true;
    return false;
}

static void gpus_measure(struct gpu_map *map, struct client *c)
{
    struct strv heard = {0};
    struct msg_watch_util on = {.on = true};
    int64_t deadline = mono_ms() + MEASURE_MS;
    bool asked = client_send(c, MSG_WATCH_UTIL, &on, NULL, NULL) >= 0;
    while (asked && gpus_lacks_nodes(map, &heard) && mono_ms() < deadline) {
        struct incoming in;
        int r = client_next(c, (int)(deadline - mono_ms()), &in, NULL);
        if (r < 0)
            break;
        if (r == 0)
            continue;
        if (in.kind == MSG_UTIL)
            take_use(map, &heard, in.body);
        msg_free(in.kind, in.body);
    }
    strv_fini(&heard);
}

static const struct table_col use_cols[] = {
    {.title = N_("NODE"), .flex = 8}, {.title = N_("GPU"), .right = true},
    {.title = N_("TYPE"), .flex = 4}, {.title = N_("BUSY"), .right = true},
    {.title = N_("MEMORY")},          {.title = N_("STATE")},
    {.title = N_("WHO"), .flex = 10}};

static void append_who(struct str *s, const struct gpu_owner *g)
{
    str_clear(s);
    if (g->job) {
        str_appendf(s, "%s/%s", g->job->user ? g->job->user : "?",
                    g->job->req.name ? g->job->req.name : "");
        append_job_id(s, g->job);
    }
    if (node_gpu_note(g->node, g->index))
        str_appendf(s, "%s%s", s->len ? "; " : "", node_gpu_note(g->node, g->index));
}

static void print_use(const struct gpu_map *map, struct str *out)
{
    struct texttable t = TEXTTABLE_INIT(use_cols);
    struct str s = STR_INIT;
    char used[UNITS_TEXT_SIZE], all[UNITS_TEXT_SIZE];
    vec_for_each (&map->v, i) {
        const struct gpu_owner *g = &map->v.v[i];
        texttable_add(&t, TONE_PLAIN, g->node->spec.name);
        texttable_addf(&t, TONE_PLAIN, "%u", g->index);
        texttable_add(&t, TONE_PLAIN, g->node->gpu_type);
        if (g->measured) {
            texttable_addf(&t, TONE_PLAIN, "%u%%", g->use.busy_pct);
            texttable_addf(&t, TONE_PLAIN, "%s/%s", mem_format_words(g->use.mem_used_mib * 1024, used),
                           mem_format_words(g->use.mem_mib * 1024, all));
        } else {
            texttable_add(&t, TONE_DIM, NULL);
            texttable_add(&t, TONE_DIM, NULL);
        }
        texttable_add(&t, TONE_PLAIN, tr(gpu_state(g)));
        append_who(&s, g);
        texttable_add(&t, TONE_PLAIN, s.s);
    }
    if (map->v.n)
        texttable_print(&t, out, listing_width(), color_is_welcome());
    else
        str_append(out, tr("no node has a GPU\n"));
    texttable_fini(&t);
    str_fini(&s);
}

/* --- the command --- */

static void gpus_show(void *ctx, struct client *c, const struct model *m, const struct node_pick *nodes,
                      struct str *out)
{
    const struct gpus_cmd *o = ctx;
    struct gpu_map map = {.v = VEC_INIT};
    map_gpus(m, nodes, &map);
    if (o->use)
        gpus_measure(&map, c);
    if (o->json)
        gpus_json(&map, out);
    else if (o->use)
        print_use(&map, out);
    else
        print_gpus(&map, out);
    vec_fini(&map.v);
}

static int gpus_run(struct cli *cli, int argc, char **argv)
{
    struct gpus_cmd o = {0};
    struct strv operands = {0};
    struct msg_get get = {.what = GET_SPEC | GET_NODES | GET_JOBS, .states = STATES_QUEUED};
    int rc = 0;
    if (cli_parse(cli, &o, argc, argv, 0, &operands, &rc))
        rc = nodes_show(cli, &get, &operands, gpus_show, &o);
    strv_fini(&operands);
    return rc;
}

const struct command cmd_gpus = {
    .name = "gpus",
    .summary = N_("Show every GPU and whose it is"),
    .usage = "[--use] [--json] [NODES...]",
    .options = &options,
    .run = gpus_run,
};
