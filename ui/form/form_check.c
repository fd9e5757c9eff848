/* form_check.c - the hints of the form: mistakes, requests that no node can satisfy, unbalanced requests,
 * what earlier runs used. The forecast is the controller's: ui/form/form_ask.c asks for it. */
#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/jobspec/directives.h"
#include "src/model/model.h"
#include "ui/form/form.h"
#include "ui/form/form_command.h"
#include "ui/info/job_efficiency.h"

void form_hints_fini(struct form_hints *h)
{
    vec_for_each (h, i) {
        free(h->v[i].text);
        free(h->v[i].fix);
    }
    vec_fini(h);
}

struct form_checking {
    const struct form *f;
    const struct ui *ui;
    const struct model *m;
    struct form_hints *out;
};

static void hint(struct form_checking *c, const struct form_field *field, enum hint_kind kind,
                 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static void hint(struct form_checking *c, const struct form_field *field, enum hint_kind kind,
                 const char *fmt, ...)
{
    struct str s = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    vec_push(c->out,
             (struct form_hint){.field = field, .step = -1, .kind = kind, .text = form_one_line(s.s)});
    str_fini(&s);
}

/* The suggestion of the last hint. */
static void fix_with(struct form_checking *c, const char *value)
{
    c->out->v[c->out->n - 1].fix = xstrdup(value);
}

static void fix_with_count(struct form_checking *c, uint32_t n)
{
    c->out->v[c->out->n - 1].fix = xasprintf("%u", n);
}

static const struct form_field *form_check_field_of(const struct form_checking *c, const char *key)
{
    for (size_t i = 0; i < c->f->n_fields; i++)
        if (str_eq(c->f->fields[i].key, key))
            return &c->f->fields[i];
    return NULL;
}

static const struct form_field *field_by_id(const struct form_checking *c, int id)
{
    for (size_t i = 0; i < c->f->n_fields; i++)
        if (c->f->fields[i].id == id)
            return &c->f->fields[i];
    return NULL;
}

/* --- mistakes --- */

static const struct form_field *field_on_line(const struct form_checking *c, const struct directives *d,
                                              unsigned line, const char *text)
{
    const struct form_field *found = NULL;
    for (size_t i = 0; i < d->n; i++) {
        if (d->v[i].line != line)
            continue;
        const struct form_field *f = field_by_id(c, d->v[i].opt->id);
        char *name = xasprintf("--%s", d->v[i].opt->name);
        bool named = strstr(text, name) != NULL;
        free(name);
        if (named && f)
            return f;
        found = found ? found : f;
    }
    return found;
}

/* Line by line, so that one mistake does not hide the others. */
static bool check_header(struct form_checking *c, struct batch *b)
{
    char name[] = "script";
    struct script s = {.name = name, .text = {.p = (uint8_t *)c->f->text.s, .n = c->f->text.len}};
    struct script_header h;
    struct errtext err = {""};
    bool good = true;
    if (script_parse_header(&s, &h, &err) < 0) {
        hint(c, NULL, HINT_ERROR, "%s", err.s);
        return false;
    }
    struct directives d;
    directives_read(&d, &batch_opts, c->f->text.s);
    b->job.level = LEVEL_HEADER;
    for (size_t i = 0; i < h.n; i++)
        if (batch_take_line(b, s.name, &h.v[i], &err) < 0) {
            hint(c, field_on_line(c, &d, h.v[i].number, err.s), HINT_ERROR, "%s", err.s);
            good = false;
        }
    directives_fini(&d);
    script_header_fini(&h);
    return good;
}

/* --- against the cluster --- */

static const struct part_spec *first_part(struct form_checking *c, const struct job_req *r)
{
    if (!r->partition)
        return model_default_part(c->m);
    struct strv names = strv_split(r->partition, ",");
    const struct part_spec *first = NULL;
    for (size_t i = 0; i < names.n; i++) {
        const struct part_spec *p = model_get_part(c->m, names.v[i]);
        if (!p) {
            struct str all = STR_INIT;
            for (size_t k = 0; k < c->m->spec.parts.n; k++)
                str_appendf(&all, "%s%s", k ? ", " : "", c->m->spec.parts.v[k].name);
            hint(c, form_check_field_of(c, "partition"), HINT_ERROR,
                 "there is no partition %s; there are: %s", names.v[i], all.s);
            str_fini(&all);
            if (names.n == 1 && model_default_part(c->m))
                fix_with(c, model_default_part(c->m)->name);
        }
        first = first ? first : p;
    }
    strv_fini(&names);
    return first;
}

static void check_time(struct form_checking *c, const struct job_req *r, const struct part_spec *p)
{
    char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];
    if (!p || p->max_time_s == DURATION_UNLIMITED || r->time_limit_s == DURATION_NOT_SET)
        return;
    if (r->time_limit_s == DURATION_UNLIMITED || r->time_limit_s > p->max_time_s) {
        hint(c, form_check_field_of(c, "time"), HINT_ERROR, "%s requested, %s allows %s",
             duration_format(r->time_limit_s, a), p->name, duration_format(p->max_time_s, b));
        fix_with(c, b);
    }
}

struct biggest {
    uint32_t cpus, gpus;
    uint64_t mem_mib;
    bool typed; /* a node with GPUs of the type that is asked for */
};

static const struct node *node_of(const struct form_checking *c, const struct part_spec *p, size_t i)
{
    return model_get_node(c->m, p->nodes.v[i]);
}

static uint32_t form_check_gpus_of(const struct node *n, const char *gpu_type)
{
    return n && (!gpu_type || str_eq(gpu_type, n->gpu_type)) ? n->gpus : 0;
}

/* The largest of the nodes that have enough GPUs: more memory on a node without them is of no use. */
static struct biggest biggest_nodes(const struct form_checking *c, const struct part_spec *p,
                                    const struct job_req *r)
{
    struct biggest b = {0};
    for (size_t i = 0; p && i < p->nodes.n; i++) {
        uint32_t gpus = form_check_gpus_of(node_of(c, p, i), r->gpu_type);
        b.gpus = gpus > b.gpus ? gpus : b.gpus;
        b.typed = b.typed || gpus;
    }
    uint32_t need = r->gpus_per_node != NOT_GIVEN ? r->gpus_per_node
                    : r->gpus == NOT_GIVEN        ? 0
                    : r->nodes_min == NOT_GIVEN   ? r->gpus
                                                  : r->gpus > 0;
    need = need > b.gpus ? b.gpus : need;
    for (size_t i = 0; p && i < p->nodes.n; i++) {
        const struct node *n = node_of(c, p, i);
        if (!n || form_check_gpus_of(n, r->gpu_type) < need)
            continue;
        b.cpus = n->cpus > b.cpus ? n->cpus : b.cpus;
        b.mem_mib = n->mem_mib > b.mem_mib ? n->mem_mib : b.mem_mib;
    }
    return b;
}

static int most_first(const void *pa, const void *pb)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return (a < b) - (a > b);
}

/* The smallest number of nodes that together have the requested GPUs; 0: the partition has too few.
 * *ret_all: the GPUs of the partition. */
static uint32_t nodes_for(const struct form_checking *c, const struct job_req *r, const struct part_spec *p,
                          uint32_t *ret_all)
{
    uint32_t *gpus = xreallocarray(NULL, p->nodes.n, sizeof *gpus), nodes = 0;
    for (size_t i = 0; i < p->nodes.n; i++)
        gpus[i] = form_check_gpus_of(node_of(c, p, i), r->gpu_type);
    qsort(gpus, p->nodes.n, sizeof *gpus, most_first);
    *ret_all = 0;
    for (size_t i = 0; i < p->nodes.n; i++) {
        *ret_all += gpus[i];
        if (!nodes && *ret_all >= r->gpus)
            nodes = (uint32_t)i + 1;
    }
    free(gpus);
    return nodes;
}

/* More GPUs than one node has: the job needs several nodes, which --nodes must say. */
static void check_several_nodes(struct form_checking *c, const struct job_req *r, const struct part_spec *p,
                                uint32_t gpus)
{
    uint32_t all, nodes = nodes_for(c, r, p, &all);
    if (!nodes) {
        hint(c, form_check_field_of(c, "gpus"), HINT_ERROR,
             "%u requested, the nodes of %s have %u in total", r->gpus, p->name, all);
        return;
    }
    hint(c, form_check_field_of(c, "gpus"), HINT_WARN,
         "%u requested, one node of %s has %u: this takes %u nodes", r->gpus, p->name, gpus, nodes);
    fix_with_count(c, nodes);
    c->out->v[c->out->n - 1].fix_field = form_check_field_of(c, "nodes");
}

/* A script without a command ends at once. */
static void check_command(struct form_checking *c)
{
    if (!formcommand_lines(c->f->text.s))
        hint(c, form_check_field_of(c, "command"), HINT_WARN, "type a command, or write the script (Tab)");
}

static void check_sizes(struct form_checking *c, const struct job_req *r, const struct part_spec *p)
{
    char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];
    struct biggest big = biggest_nodes(c, p, r);
    if (!p || !big.cpus)
        return;
    if (r->cpus_per_task != NOT_GIVEN && r->cpus_per_task > big.cpus) {
        hint(c, form_check_field_of(c, "cpus-per-task"), HINT_ERROR,
             "%u requested, the nodes of %s have %u", r->cpus_per_task, p->name, big.cpus);
        fix_with_count(c, big.cpus);
    }
    if (r->mem_node_mib != MEM_NOT_GIVEN && big.mem_mib && r->mem_node_mib > big.mem_mib) {
        hint(c, form_check_field_of(c, "mem"), HINT_ERROR, "%s requested, the nodes of %s have %s",
             mem_format_slurm(r->mem_node_mib, a), p->name, mem_format_slurm(big.mem_mib, b));
        fix_with(c, b);
    }
    if (r->gpu_type && !big.typed)
        hint(c, form_check_field_of(c, "gpus"), HINT_ERROR, "no node of %s has GPUs of type %s", p->name,
             r->gpu_type);
    else if (r->gpus != NOT_GIVEN && r->gpus && !big.gpus)
        hint(c, form_check_field_of(c, "gpus"), HINT_ERROR, "no node of %s has GPUs", p->name);
    else if (r->gpus != NOT_GIVEN && big.gpus && r->gpus > big.gpus && r->nodes_min == NOT_GIVEN)
        check_several_nodes(c, r, p, big.gpus);
}

/* Far more CPUs than the share of the GPUs leaves GPUs that no other job can use. */
static void check_balance(struct form_checking *c, const struct job_req *r, const struct part_spec *p)
{
    struct biggest big = biggest_nodes(c, p, r);
    uint32_t gpus = r->gpus != NOT_GIVEN ? r->gpus : 0;
    if (!gpus || !big.gpus || !big.cpus || r->cpus_per_task == NOT_GIVEN)
        return;
    uint32_t share = big.cpus / big.gpus * gpus;
    if (share && r->cpus_per_task > 2 * share) {
        hint(c, form_check_field_of(c, "cpus-per-task"), HINT_WARN,
             "%u CPUs for %u %s: a fair part of the node is %u CPUs", r->cpus_per_task, gpus,
             gpus == 1 ? "GPU" : "GPUs", share);
        fix_with_count(c, share);
    }
}

static void form_check_check_dependency(struct form_checking *c, const struct job_req *r)
{
    for (const char *s = r->dependency; s && (s = strchr(s, ':')); s++) {
        uint32_t id = (uint32_t)strtoul(s + 1, NULL, 10);
        const struct job *j = id ? ui_job(c->ui, id) : NULL;
        if (id && !j)
            hint(c, form_check_field_of(c, "dependency"), HINT_WARN, "job %u is not in the queue", id);
        else if (id && strncmp(r->dependency, "afterok", 7) == 0 &&
                 job_state_is_final((enum job_state)j->state) && j->state != JOB_COMPLETED)
            hint(c, form_check_field_of(c, "dependency"), HINT_ERROR,
                 "job %u failed: this job would never start", id);
    }
}

/* --- what earlier runs of that name used --- */

#define RUNS_MAX 5

static void look_at_runs(struct form_checking *c, const struct job_req *r)
{
    uint64_t peak = 0;
    uint32_t longest = 0, runs = 0;
    char a[UNITS_TEXT_SIZE];
    for (struct list *e = c->m->ended.prev; e != &c->m->ended && runs < RUNS_MAX; e = e->prev) {
        const struct job *j = container_of(e, struct job, in_queue);
        struct job_use u;
        if (j->uid != ui_uid(c->ui) || !str_eq(j->req.name, r->name) || j->state != JOB_COMPLETED)
            continue;
        job_use(&u, j, c->m, ui_now(c->ui));
        peak = u.peak_kib > peak ? u.peak_kib : peak;
        longest = u.ran_s > longest ? u.ran_s : longest;
        runs++;
    }
    if (!runs)
        return;
    if (peak)
        hint(c, form_check_field_of(c, "mem"), HINT_GOOD, "your last %u %s of %s peaked at %s", runs,
             runs == 1 ? "run" : "runs", r->name, mem_format_words(peak, a));
    hint(c, form_check_field_of(c, "time"), HINT_GOOD, "your last %u %s of %s took %s at most", runs,
         runs == 1 ? "run" : "runs", r->name, duration_format(longest, a));
}

static void form_check_check_request(struct form_checking *c, const struct job_req *r)
{
    const struct part_spec *p = first_part(c, r);
    check_time(c, r, p);
    if (c->f->kind != JOB_KIND_STEPS) {
        check_command(c);
        check_sizes(c, r, p);
        check_balance(c, r, p);
    }
    form_check_check_dependency(c, r);
    if (r->name)
        look_at_runs(c, r);
}

void form_check(const struct form_draft *d, const struct ui *ui, struct form_hints *ret)
{
    struct form_checking c = {.f = &d->f, .ui = ui, .m = ui_model(ui), .out = ret};
    form_hints_fini(ret);
    *ret = (struct form_hints){0};
    if (d->f.kind != JOB_KIND_STEPS) {
        struct batch b;
        batch_init(&b);
        b.job.now = ui_now(ui);
        bool good = check_header(&c, &b);
        batch_fini(&b);
        if (!good)
            return;
    }
    if (d->rc < 0) {
        hint(&c, NULL, HINT_ERROR, "%s", d->err.s);
        return;
    }
    form_check_check_request(&c, &d->m.req);
    if (d->missing.field) {
        hint(&c, d->missing.field, HINT_WARN, "%s", d->missing.text);
        ret->v[ret->n - 1].step = d->missing.step;
    }
}
