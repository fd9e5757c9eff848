/* nodetasks.c - stoker node tasks: what runs on nodes, also what no job here has, and an end to that. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/cli/ask.h"
#include "src/cli/listing/nodepick.h"
#include "src/cli/listing/texttable.h"
#include "src/cli/setup/nodecmd.h"
#include "src/jobspec/jobtargets.h"
#include "src/lang/lang.h"
#include "src/record/json.h"
#include "src/values/units.h"

struct nodetasks_row { /* a task on a node */
    uint32_t job;
    int32_t step;
    uint32_t task, pid;
    const char *user, *name;          /* name: of the job; NULL: no job here has it */
    const struct cpuset *cpus, *gpus; /* NULL: not known */
    uint64_t mem_mib;
    struct wall since;
    bool ending;
};

static const struct table_col cols[] = {
    {.title = N_("NODE"), .flex = 8},  {.title = N_("TASK"), .flex = 8},
    {.title = N_("USER"), .flex = 6},  {.title = N_("CPUS"), .flex = 4},
    {.title = N_("GPUS"), .flex = 4},  {.title = N_("MEMORY"), .drop = 4},
    {.title = N_("SINCE"), .drop = 3}, {.title = N_("PID"), .drop = 5, .right = true},
    {.title = N_("WHAT"), .flex = 10}};

struct nodetasks_list {
    bool json;
    struct str *out;
    struct texttable *table;
};

static char *task_name(const struct nodetasks_row *r)
{
    struct str s = STR_INIT;
    target_append(&s, &(struct job_target){.job = r->job, .array_index = ARRAY_NONE, .step = r->step});
    str_appendf(&s, ".%u", r->task);
    return s.s;
}

static void nodetasks_row_json(struct nodetasks_list *l, const struct nodetasks_row *r)
{
    char *name = task_name(r);
    char *cpus = r->cpus ? cpuset_format(r->cpus) : NULL, *gpus = r->gpus ? cpuset_format(r->gpus) : NULL;
    json_begin_object(l->out, NULL);
    json_text(l->out, "task", name);
    json_int(l->out, "job", r->job);
    json_text(l->out, "job_name", r->name);
    json_bool(l->out, "known", r->name != NULL);
    json_text(l->out, "user", r->user);
    json_text(l->out, "cpu_ids", cpus);
    json_text(l->out, "gpu_ids", gpus);
    json_int(l->out, "mem_mib", (int64_t)r->mem_mib);
    json_int(l->out, "since", r->since.ms / MS_PER_S);
    json_int(l->out, "pid", r->pid);
    json_bool(l->out, "ending", r->ending);
    json_end_object(l->out);
    free(name);
    free(cpus);
    free(gpus);
}

static void add_set(struct texttable *t, const struct cpuset *set)
{
    char *text = set ? cpuset_format(set) : NULL;
    texttable_add(t, TONE_PLAIN, text ? text : "?");
    free(text);
}

static void row_table(struct texttable *t, const struct node *n, const struct nodetasks_row *r)
{
    char mem[UNITS_TEXT_SIZE], iso[WALL_TEXT_SIZE];
    char *name = task_name(r);
    texttable_add(t, TONE_PLAIN, n->spec.name);
    texttable_add(t, TONE_PLAIN, name);
    texttable_add(t, TONE_PLAIN, r->user ? r->user : "?");
    add_set(t, r->cpus);
    add_set(t, r->gpus);
    texttable_add(t, TONE_PLAIN, r->mem_mib ? mem_format_words(r->mem_mib * 1024, mem) : NULL);
    texttable_add(t, TONE_PLAIN, wall_is_set(r->since) ? wall_format_iso(r->since, iso) : NULL);
    if (r->pid)
        texttable_addf(t, TONE_PLAIN, "%u", r->pid);
    else
        texttable_add(t, TONE_PLAIN, NULL);
    if (r->name)
        texttable_addf(t, TONE_PLAIN, r->ending ? tr("%s, being ended") : "%s", r->name);
    else
        texttable_add(t, TONE_WARN,
                      r->ending ? tr("unknown to this controller, being ended")
                                : tr("unknown to this controller"));
    free(name);
}

static void add_row(struct nodetasks_list *l, const struct node *n, const struct nodetasks_row *r)
{
    if (l->json)
        nodetasks_row_json(l, r);
    else
        row_table(l->table, n, r);
}

static void add_known(struct nodetasks_list *l, const struct node *n, const struct job *j)
{
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if ((t->state != TASK_LAUNCHING && t->state != TASK_RUNNING) ||
                !str_eq(t->alloc.node, n->spec.name))
                continue;
            add_row(l, n,
                    &(struct nodetasks_row){.job = j->id,
                                            .step = j->steps.v[i].id,
                                            .task = t->index,
                                            .pid = t->pid,
                                            .user = j->user,
                                            .name = j->req.name ? j->req.name : "",
                                            .cpus = &t->alloc.cpus,
                                            .gpus = &t->alloc.gpus,
                                            .mem_mib = t->alloc.mem_mib,
                                            .since = t->t_start,
                                            .ending = t->killing});
        }
}

static void add_unknown(struct nodetasks_list *l, const struct node *n)
{
    for (size_t i = 0; i < node_rare(n)->unknown.n; i++) {
        const struct unknown_task *u = &node_rare(n)->unknown.v[i];
        add_row(l, n,
                &(struct nodetasks_row){.job = u->job,
                                        .step = u->step,
                                        .task = u->task,
                                        .pid = u->pid,
                                        .user = u->user,
                                        .cpus = u->user ? &u->cpus : NULL,
                                        .gpus = u->user ? &u->gpus : NULL,
                                        .mem_mib = u->mem_mib,
                                        .since = u->t_start,
                                        .ending = u->killing});
    }
}

static void nodetasks_add_node(struct nodetasks_list *l, const struct model *m, const struct node *n)
{
    list_for_each (j, &m->active, struct job, in_queue)
        add_known(l, n, j);
    add_unknown(l, n);
}

static void show_json(const struct model *m, const struct node_pick *nodes, struct str *out)
{
    json_begin_document(out, 1);
    json_begin_array(out, "nodes");
    vec_for_each (&nodes->v, i) {
        const struct node *n = nodes->v.v[i];
        struct nodetasks_list l = {.json = true, .out = out};
        json_begin_object(out, NULL);
        json_text(out, "name", n->spec.name);
        json_int(out, "unknown", node_rare(n)->n_unknown);
        json_begin_array(out, "tasks");
        nodetasks_add_node(&l, m, n);
        json_end_array(out);
        json_end_object(out);
    }
    json_end_array(out);
    json_end_document(out);
}

static void append_further(struct str *out, const char *node, size_t n)
{
    str_appendf(out,
                trn("%s: %zu further task is unknown to this controller\n",
                    "%s: %zu further tasks are unknown to this controller\n", n),
                node, n);
}

static void nodetasks_show(void *ctx, __attribute__((unused)) struct client *c, const struct model *m,
                           const struct node_pick *nodes, struct str *out)
{
    const struct node_cmd *n = ctx;
    struct texttable t = TEXTTABLE_INIT(cols);
    struct nodetasks_list l = {.out = out, .table = &t};
    if (n->json) {
        show_json(m, nodes, out);
        return;
    }
    vec_for_each (&nodes->v, i)
        nodetasks_add_node(&l, m, nodes->v.v[i]);
    texttable_print(&t, out, listing_width(), color_is_welcome());
    texttable_fini(&t);
    vec_for_each (&nodes->v, i) {
        const struct node *node = nodes->v.v[i];
        if (node_rare(node)->n_unknown > node_rare(node)->unknown.n)
            append_further(out, node->spec.name, node_rare(node)->n_unknown - node_rare(node)->unknown.n);
    }
}

static int end_tasks(const struct node_cmd *n)
{
    struct msg_node_task_end body = {0};
    struct msg_result result = {0};
    struct errtext err;
    struct strv nodes = {0};
    int rc = names_expand(n->cli, &n->words, 1, n->words.n, &nodes);
    if (rc == 0 && nodes.n != 1) {
        cli_error(n->cli, tr("--end is for the tasks of one node, not of %zu"), nodes.n);
        rc = 2;
    }
    if (rc == 0 && target_parse_one(n->end, &body.target, &body.task, &err) < 0) {
        cli_error(n->cli, "--end: %s", err.s);
        rc = 2;
    }
    if (rc == 0 && body.target.array_index != ARRAY_NONE) {
        cli_error(n->cli, tr("--end: %s is an element of an array: give the number that the list shows"),
                  n->end);
        rc = 2;
    }
    if (rc == 0) {
        body.node = xstrdup(nodes.v[0]);
        struct client *c = ask_connect(n->cli);
        rc = c ? ask_result(n->cli, c, MSG_NODE_TASK_END, &body, &result) : EXIT_AWAY;
        client_free(c);
    }
    if (rc == 0)
        printf(trn("%u task is being ended on %s\n", "%u tasks are being ended on %s\n", result.count),
               result.count, body.node);
    rec_fini(&msg_result_rec, &result);
    rec_fini(&msg_node_task_end_rec, &body);
    strv_fini(&nodes);
    return rc;
}

int node_do_tasks(struct node_cmd *n)
{
    if (n->end && n->json) {
        cli_error(n->cli, tr("--json is for the list, not with --end"));
        return 2;
    }
    if (n->end)
        return end_tasks(n);
    struct strv operands = {0};
    for (size_t i = 1; i < n->words.n; i++)
        strv_push(&operands, n->words.v[i]);
    int rc = nodes_show(n->cli,
                        &(struct msg_get){.what = GET_SPEC | GET_NODES | GET_JOBS,
                                          .states = 1u << JOB_RUNNING | 1u << JOB_SUSPENDED,
                                          .live_steps = true},
                        &operands, nodetasks_show, n);
    strv_fini(&operands);
    return rc;
}
