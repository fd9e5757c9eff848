/* resubmit.c - writes the request of a job into a form. resubmit_open.c opens the form. */
#include "ui/form/resubmit.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/jobattr/jobattr.h"
#include "src/jobspec/jobfileedit.h"
#include "src/values/units.h"

/* --- what a request says, as it is written --- */

static void add_mem(struct str *s, uint64_t mib)
{
    char b[UNITS_TEXT_SIZE];
    if (mib != MEM_NOT_GIVEN)
        str_append(s, mib ? mem_format_slurm(mib, b) : "0");
}

static void resubmit_add_time(struct str *s, uint32_t seconds)
{
    char b[UNITS_TEXT_SIZE];
    if (seconds != DURATION_NOT_SET)
        str_append(s, duration_format(seconds, b));
}

/* --gpus counts all GPUs of the job; --gres and --gpus-per-node count those of each node. */
static void request_text(const struct job_req *r, int id, struct str *s)
{
    const struct job_attr *a = job_attr_get(id);
    if (a && !a->once)
        job_attr_append(s, a, r);
}

/* The request of the script alone. */
static void script_request(const struct form *f, struct wall now, struct job_req *ret)
{
    struct msg_submit m;
    struct errtext err;
    if (form_message(f, now, &m, &err) < 0) {
        job_req_init(ret);
        return;
    }
    *ret = m.req;
    m.req = (struct job_req){0};
    rec_fini(&msg_submit_rec, &m);
}

/* The controller writes the account of a job that names none into its request: it is not named again. */
static bool is_default_account(const struct job *j, const struct model *m)
{
    return str_eq(j->req.account, spec_default_account(&m->spec, j->user, job_origin(j)->group));
}

/* One option: set if the job's request differs from the script. */
static void fill_field(struct form *f, const struct form_field *field, const struct job_req *had,
                       const struct job_req *script)
{
    struct str want = STR_INIT, is = STR_INIT;
    request_text(had, field->id, &want);
    request_text(script, field->id, &is);
    if (strcmp(want.s, is.s) != 0)
        form_set(f, field, -1, want.s);
    str_fini(&want);
    str_fini(&is);
}

void again_fill(struct form *f, const struct job *j, const struct model *m, struct wall now)
{
    static const struct form_field per_node = {.key = "gpus-per-node", .id = J_GPUS_PER_NODE};
    struct job_req script;
    free(f->dir);
    f->dir = j->req.workdir ? xstrdup(j->req.workdir) : NULL;
    script_request(f, now, &script);
    for (size_t i = 0; i < f->n_fields; i++)
        if (f->fields[i].id != FORM_ARGS && (f->fields[i].id != J_ACCOUNT || !is_default_account(j, m)))
            fill_field(f, &f->fields[i], &j->req, &script);
    fill_field(f, &per_node, &j->req, &script);
    rec_fini(&job_req_rec, &script);
}

/* --- steps --- */

static void set_step(struct form *f, int step, const char *key, const char *value, bool quoted)
{
    if (!str_is_empty(value))
        jobfile_set(&f->text, step, key, value, quoted);
}

static void set_step_count(struct form *f, int step, const char *key, uint32_t n, uint32_t usual)
{
    char b[16];
    snprintf(b, sizeof b, "%u", n);
    if (n != usual && n != NOT_GIVEN)
        jobfile_set(&f->text, step, key, b, false);
}

static void resubmit_add_step(struct form *f, const struct step *s)
{
    struct str mem = STR_INIT, time = STR_INIT;
    int at = (int)jobfile_count_steps(f->text.s);
    jobfile_add_step(&f->text, s->name ? s->name : "step", s->command ? s->command : "");
    set_step_count(f, at, "tasks", s->n_tasks, 1);
    set_step_count(f, at, "nodes", s->nodes, 1);
    set_step_count(f, at, "ranks", s->n_ranks, 1);
    set_step(f, at, "mpi", s->mpi == 1 ? "pmi2" : "", true);
    set_step_count(f, at, "cpus", s->cpus_per_rank, 1);
    set_step_count(f, at, "gpus", s->gpus, 0);
    set_step(f, at, "gpu_type", s->gpu_type, true);
    if (s->mem_mib)
        add_mem(&mem, s->mem_mib);
    set_step(f, at, "mem", mem.s, true);
    if (s->time_limit_s != DURATION_UNLIMITED)
        resubmit_add_time(&time, s->time_limit_s);
    set_step(f, at, "time", time.s, true);
    set_step(f, at, "on_failure", s->keep_going ? "continue" : "", true);
    set_step(f, at, "output", s->std_out, true);
    set_step(f, at, "error", s->std_err, true);
    str_fini(&mem);
    str_fini(&time);
}

void again_steps(struct form *f, const struct job *j, const struct model *m)
{
    struct str time = STR_INIT;
    str_clear(&f->text);
    for (size_t i = 0; i < j->steps.n; i++)
        if (j->steps.v[i].id >= 0)
            resubmit_add_step(f, &j->steps.v[i]);
    if (j->req.time_limit_s != DURATION_UNLIMITED)
        resubmit_add_time(&time, j->req.time_limit_s);
    const struct {
        const char *key, *value;
    } keys[] = {
        {"name", j->req.name},
        {"partition", j->req.partition},
        {"time", time.s},
        {"workdir", j->req.workdir},
        {"account", is_default_account(j, m) ? NULL : j->req.account},
        {"qos", req_detail(&j->req)->qos},
        {"features", req_detail(&j->req)->features},
        {"nodelist", req_rare(&j->req)->nodelist},
        {"exclude", req_rare(&j->req)->exclude},
        {"comment", req_rare(&j->req)->comment},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!str_is_empty(keys[i].value))
            jobfile_set(&f->text, JOBFILE_JOB, keys[i].key, keys[i].value, true);
    str_fini(&time);
}
