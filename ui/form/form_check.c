/* form_check.c - the hints of the form: mistakes, requests that no node can satisfy, unbalanced requests,
 * what earlier runs used. The forecast is the controller's: ui/form/form_ask.c asks for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/jobspec/directives.h"
#include "src/lang/lang.h"
#include "src/model/model.h"
#include "src/values/units.h"
#include "ui/form/form.h"
#include "ui/form/form_command.h"
#include "ui/form/form_edit.h"
#include "ui/form/form_fit.h"
#include "ui/info/job_efficiency.h"

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

/* As many GPUs, of the type that is asked for. */
static void fix_with_gpus(struct form_checking *c, const struct form_fit *f)
{
    const char *type = req_detail(f->req)->gpu_type;
    c->out->v[c->out->n - 1].fix =
        xasprintf("%s%s%u", type ? type : "", type ? ":" : "", (unsigned)f->most[FIT_GPUS]);
}

/* A partition that takes all of the request. */
static bool fix_with_other_partition(struct form_checking *c, const struct form_fit *f)
{
    uint32_t limit = f->req->time_limit_s;
    for (size_t i = 0; i < c->m->spec.parts.n; i++) {
        const struct part_spec *p = &c->m->spec.parts.v[i];
        struct form_fit other;
        if (p == f->part || p->state != PART_UP || (limit != DURATION_NOT_SET && limit > p->max_time_s))
            continue;
        formfit_look(&other, c->m, p, f->req);
        if (!other.fits || !other.sure)
            continue;
        fix_with(c, p->name);
        c->out->v[c->out->n - 1].fix_field = form_find_field(c->f, "partition");
        return true;
    }
    return false;
}

/* A type that the partition has enough of on one node. */
static void fix_with_type(struct form_checking *c, const struct form_fit *f)
{
    struct job_req req = *f->req;
    struct job_req_detail detail = *req_detail(&req);
    struct form_fit other;
    req.detail = &detail;
    for (size_t i = 0; i < f->part->nodes.n; i++) {
        const struct node *n = model_get_node(c->m, f->part->nodes.v[i]);
        if (!n || !n->gpus || !n->gpu_type)
            continue;
        detail.gpu_type = n->gpu_type;
        formfit_look(&other, c->m, f->part, &req);
        if (!other.fits || !other.sure)
            continue;
        c->out->v[c->out->n - 1].fix = xasprintf("%s:%u", n->gpu_type, (unsigned)other.asked[FIT_GPUS]);
        return;
    }
}

static void fix_with_count(struct form_checking *c, uint32_t n)
{
    c->out->v[c->out->n - 1].fix = xasprintf("%u", n);
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

/* The partition with the nearest name, else the default one, if it could run the job. */
static void fix_with_partition(struct form_checking *c, const struct job_req *r)
{
    const struct part_spec *best = model_default_part(c->m);
    size_t nearest = 3; /* mistakes; with more it is another name */
    for (size_t i = 0; i < c->m->spec.parts.n; i++) {
        const struct part_spec *p = &c->m->spec.parts.v[i];
        size_t d = words_distance(r->partition, p->name);
        if (d < nearest && d < strlen(p->name)) {
            nearest = d;
            best = p;
        }
    }
    struct form_fit fit = {0};
    if (best)
        formfit_look(&fit, c->m, best, r);
    if (best && fit.fits && fit.sure &&
        (r->time_limit_s == DURATION_NOT_SET || r->time_limit_s <= best->max_time_s))
        fix_with(c, best->name);
}

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
            hint(c, form_find_field(c->f, "partition"), HINT_ERROR,
                 tr("there is no partition %s; there are: %s"), names.v[i], all.s);
            str_fini(&all);
            if (names.n == 1)
                fix_with_partition(c, r);
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
        hint(c, form_find_field(c->f, "time"), HINT_ERROR, tr("%s requested, %s allows %s"),
             duration_format(r->time_limit_s, a), p->name, duration_format(p->max_time_s, b));
        fix_with(c, b);
    }
}

/* A script without a command ends at once. Of a new form that goes without saying. */
static void check_command(struct form_checking *c)
{
    if (!formcommand_lines(c->f->text.s) && (c->f->path || !form_is_new(c->f)))
        hint(c, form_find_field(c->f, "command"), HINT_WARN, tr("there is no command to run yet"));
}

/* An amount in the words of its field. */
static const char *fit_amount(enum fit_part p, uint64_t n, char buf[static UNITS_TEXT_SIZE])
{
    if (p == FIT_MEM)
        return mem_format_slurm(n, buf);
    snprintf(buf, UNITS_TEXT_SIZE, "%u", (unsigned)n);
    return buf;
}

/* Where nodes may give unequal parts, only what no node has at all is certainly too much. */
static bool is_too_much(const struct form_fit *f, enum fit_part p)
{
    return f->asked[p] > (f->sure ? f->most[p] : f->alone[p]);
}

/* No node has that much of it beside the rest. */
static void hint_too_much(struct form_checking *c, const struct form_fit *f, enum fit_part p,
                          const char *key)
{
    char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];
    struct str rest = STR_INIT;
    formfit_rest(f, p, &rest);
    fit_amount(p, f->asked[p], a);
    if (f->asked[p] > f->alone[p] && f->most[p] == f->alone[p])
        hint(c, form_find_field(c->f, key), HINT_ERROR, tr("%s requested, the nodes of %s have %s"), a,
             f->part->name, fit_amount(p, f->alone[p], b));
    else if (f->most[p] && rest.len)
        hint(c, form_find_field(c->f, key), HINT_ERROR, tr("%s requested, nodes of %s with %s have %s"), a,
             f->part->name, rest.s, fit_amount(p, f->most[p], b));
    else
        hint(c, form_find_field(c->f, key), HINT_ERROR,
             tr("%s requested, no node of %s has it with the rest"), a, f->part->name);
    str_fini(&rest);
}

/* More GPUs than one node has: the job needs several nodes, which --nodes must say. */
static void check_several_nodes(struct form_checking *c, const struct form_fit *f)
{
    uint32_t all, nodes = formfit_nodes_for_gpus(f, &all);
    const struct form_field *field = form_find_field(c->f, "gpus");
    if (!nodes) {
        hint(c, field, HINT_ERROR, tr("%u requested, the nodes of %s have %u in total"),
             (unsigned)f->asked[FIT_GPUS], f->part->name, all);
        if (f->sure && f->most[FIT_GPUS])
            fix_with_gpus(c, f);
        return;
    }
    if (f->req->ntasks != NOT_GIVEN && f->req->ntasks < nodes) { /* each node runs a task */
        hint_too_much(c, f, FIT_GPUS, "gpus");
        if (f->sure && f->most[FIT_GPUS])
            fix_with_gpus(c, f);
        return;
    }
    hint(c, field, HINT_WARN, tr("%u requested, one node of %s has %u: this takes %u nodes"),
         (unsigned)f->asked[FIT_GPUS], f->part->name, (unsigned)f->alone[FIT_GPUS], nodes);
    if (!f->sure || f->req->ntasks != NOT_GIVEN)
        return;
    fix_with_count(c, nodes);
    c->out->v[c->out->n - 1].fix_field = form_find_field(c->f, "nodes");
}

/* Without --cpus-per-task each task has one. */
static void check_tasks(struct form_checking *c, const struct form_fit *f)
{
    uint64_t most = f->sure ? f->most[FIT_CPUS] : f->alone[FIT_CPUS];
    if (f->req->ntasks == NOT_GIVEN)
        return;
    hint(c, form_find_field(c->f, "ntasks"), HINT_ERROR,
         tr("a CPU for each task: %u requested, the nodes of %s have %u"), (unsigned)f->asked[FIT_CPUS],
         f->part->name, (unsigned)most);
    if (f->sure && most && f->need.nodes_max <= 1 && !f->need.mem_per_cpu_mib)
        fix_with_count(c, (uint32_t)most);
}

static void check_cpus(struct form_checking *c, const struct form_fit *f)
{
    uint64_t each = f->req->cpus_per_task != NOT_GIVEN ? f->req->cpus_per_task : 0;
    if (!is_too_much(f, FIT_CPUS))
        return;
    if (!each) {
        check_tasks(c, f);
        return;
    }
    hint_too_much(c, f, FIT_CPUS, "cpus-per-task");
    uint64_t tasks = f->asked[FIT_CPUS] / each;
    if (f->sure && tasks && f->most[FIT_CPUS] >= tasks && !f->need.mem_per_cpu_mib)
        fix_with_count(c, (uint32_t)(f->most[FIT_CPUS] / tasks));
}

static void check_memory(struct form_checking *c, const struct form_fit *f)
{
    char b[UNITS_TEXT_SIZE];
    bool by_node = f->req->mem_node_mib != MEM_NOT_GIVEN,
         by_cpu = req_detail(f->req)->mem_cpu_mib != MEM_NOT_GIVEN;
    uint64_t most = f->most[FIT_MEM];
    if ((!by_node && !by_cpu) || !is_too_much(f, FIT_MEM) || !f->alone[FIT_MEM])
        return;
    hint_too_much(c, f, FIT_MEM, by_node ? "mem" : "mem-per-cpu");
    most = by_node ? most : most / (f->asked[FIT_CPUS] ? f->asked[FIT_CPUS] : 1);
    if (f->sure && most)
        fix_with(c, mem_format_slurm(most, b));
}

static void check_gpus(struct form_checking *c, const struct form_fit *f)
{
    const struct form_field *field = form_find_field(c->f, "gpus");
    uint64_t asked = f->asked[FIT_GPUS];
    if (!is_too_much(f, FIT_GPUS))
        return;
    if (!f->alone[FIT_GPUS] && req_detail(f->req)->gpu_type && !f->typed) {
        hint(c, field, HINT_ERROR, tr("no node of %s has GPUs of type %s"), f->part->name,
             req_detail(f->req)->gpu_type);
        if (!fix_with_other_partition(c, f))
            fix_with_type(c, f);
    } else if (!f->alone[FIT_GPUS]) {
        hint(c, field, HINT_ERROR, tr("no node of %s has GPUs"), f->part->name);
        fix_with_other_partition(c, f);
    } else if (f->req->gpus != NOT_GIVEN && f->req->nodes_min == NOT_GIVEN && asked > f->alone[FIT_GPUS]) {
        check_several_nodes(c, f);
    } else if (f->req->gpus != NOT_GIVEN) {
        hint_too_much(c, f, FIT_GPUS, "gpus");
        if (f->sure && f->most[FIT_GPUS] && f->need.nodes_max <= 1) /* else it is the number of a node */
            fix_with_gpus(c, f);
    }
}

static void form_check_nodes(struct form_checking *c, const struct form_fit *f)
{
    if (f->need.nodes <= f->n_nodes || f->req->nodes_min == NOT_GIVEN)
        return;
    hint(c, form_find_field(c->f, "nodes"), HINT_ERROR, tr("%u requested, %s has %u for it"), f->need.nodes,
         f->part->name, f->n_nodes);
    struct job_req fewer = *f->req;
    struct form_fit other;
    fewer.nodes_min = f->n_nodes;
    fewer.nodes_max = f->req->nodes_max == NOT_GIVEN ? NOT_GIVEN : f->n_nodes;
    formfit_look(&other, c->m, f->part, &fewer);
    if (f->n_nodes && f->sure && other.sure && other.fits)
        fix_with_count(c, f->n_nodes);
}

static void check_sizes(struct form_checking *c, const struct form_fit *f)
{
    if (f->fits || !f->part->nodes.n)
        return;
    form_check_nodes(c, f);
    check_cpus(c, f);
    check_memory(c, f);
    check_gpus(c, f);
}

/* Far more CPUs than the share of the GPUs leaves GPUs that no other job can use. */
static void check_balance(struct form_checking *c, const struct form_fit *f)
{
    const struct job_req *r = f->req;
    uint32_t gpus = r->gpus != NOT_GIVEN ? r->gpus : 0;
    if (!gpus || !f->most[FIT_GPUS] || !f->fits || !f->sure || r->cpus_per_task == NOT_GIVEN)
        return;
    uint32_t share = (uint32_t)(f->most[FIT_CPUS] / f->most[FIT_GPUS]) * gpus;
    if (share && r->cpus_per_task > 2 * share) {
        hint(c, form_find_field(c->f, "cpus-per-task"), HINT_WARN,
             trn("%u CPUs for %u GPU: a fair part of the node is %u CPUs",
                 "%u CPUs for %u GPUs: a fair part of the node is %u CPUs", gpus),
             r->cpus_per_task, gpus, share);
        fix_with_count(c, share);
    }
}

static void form_check_check_dependency(struct form_checking *c, const struct job_req *r)
{
    for (const char *s = r->dependency; s && (s = strchr(s, ':')); s++) {
        uint32_t id = (uint32_t)strtoul(s + 1, NULL, 10);
        const struct job *j = id ? ui_job(c->ui, id) : NULL;
        if (id && !j)
            hint(c, form_find_field(c->f, "dependency"), HINT_WARN, tr("job %u is not in the queue"), id);
        else if (id && strncmp(r->dependency, "afterok", 7) == 0 &&
                 job_state_is_final((enum job_state)j->state) && j->state != JOB_COMPLETED)
            hint(c, form_find_field(c->f, "dependency"), HINT_ERROR,
                 tr("job %u failed: this job would never start"), id);
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
        hint(c, form_find_field(c->f, "mem"), HINT_GOOD,
             trn("your last %u run of %s peaked at %s", "your last %u runs of %s peaked at %s", runs), runs,
             r->name, mem_format_words(peak, a));
    hint(c, form_find_field(c->f, "time"), HINT_GOOD,
         trn("your last %u run of %s took %s at most", "your last %u runs of %s took %s at most", runs),
         runs, r->name, duration_format(longest, a));
}

static void form_check_check_request(struct form_checking *c, const struct job_req *r)
{
    const struct part_spec *p = first_part(c, r);
    bool steps = c->f->kind == JOB_KIND_STEPS || (c->f->edit && c->f->edit->steps);
    check_time(c, r, p);
    if (!steps && !c->f->edit)
        check_command(c);
    if (!steps && p) {
        struct form_fit fit;
        formfit_look(&fit, c->m, p, r);
        check_sizes(c, &fit);
        check_balance(c, &fit);
    }
    form_check_check_dependency(c, r);
    if (r->name)
        look_at_runs(c, r);
}

static void add_copy(struct form_hints *out, const struct form_hint *h)
{
    struct form_hint copy = *h;
    copy.text = xstrdup(h->text);
    copy.fix = h->fix ? xstrdup(h->fix) : NULL;
    copy.fix_shown = h->fix_shown ? xstrdup(h->fix_shown) : NULL;
    vec_push(out, copy);
}

void form_check(const struct form_draft *d, const struct ui *ui, struct form_hints *ret)
{
    struct form_checking c = {.f = &d->f, .ui = ui, .m = ui_model(ui), .out = ret};
    form_hints_fini(ret);
    *ret = (struct form_hints){0};
    if (d->f.kind != JOB_KIND_STEPS && !d->f.edit) {
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
    if (!d->f.edit || (d->f.edit->waits && !d->files.n))
        form_check_check_request(&c, &d->m.req);
    vec_for_each (&d->files, i)
        add_copy(ret, &d->files.v[i]);
}
