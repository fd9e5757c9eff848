/* resubmit_open.c - opens a past job as a form: fetches its script, then applies the changes. */
#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/jobeffective.h"
#include "src/values/units.h"
#include "ui/form/form_view.h"
#include "ui/form/resubmit.h"
#include "ui/info/job_efficiency.h"
#include "ui/text/view_text.h"

/* --- bigger, and failed alone --- */

/* Returns false, with a toast, if more time or memory would not have helped. */
static bool resubmit_open_grow(struct ui *ui, struct form *f, const struct job *j)
{
    char b[UNITS_TEXT_SIZE];
    uint32_t limit = job_limit_s(j, ui_model(ui));
    struct job_use u;
    job_use(&u, j, ui_model(ui), ui_now(ui));
    uint64_t mem =
        j->req.mem_node_mib != MEM_NOT_GIVEN && j->req.mem_node_mib ? j->req.mem_node_mib : u.mem_mib;
    const struct form_field *time = form_find_field(f, "time"), *memory = form_find_field(f, "mem");
    if (j->state == JOB_TIMEOUT && limit < DURATION_NOT_SET / 2)
        form_set(f, time, -1, duration_format(limit * 2, b));
    else if (j->state == JOB_OUT_OF_MEMORY && f->kind != JOB_KIND_STEPS &&
             req_detail(&j->req)->mem_cpu_mib != MEM_NOT_GIVEN)
        form_set(f, form_find_field(f, "mem-per-cpu"), -1,
                 mem_format_slurm(req_detail(&j->req)->mem_cpu_mib * 2, b));
    else if (j->state == JOB_OUT_OF_MEMORY && mem)
        form_set(f, memory, -1, mem_format_slurm(mem * 2, b));
    else
        return false;
    return true;
}

static bool resubmit_open_failed(const struct job *j, uint32_t array)
{
    return j->array_job == array && j->array_index != ARRAY_NONE && job_role(j) == ROLE_FAILED;
}

static int resubmit_open_by_number(const void *pa, const void *pb)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return (a > b) - (a < b);
}

/* "3,7-9": the failed elements of the array, whose history has been fetched. */
static void failed_indices(const struct ui *ui, uint32_t array, struct str *out)
{
    VEC(uint32_t) v = VEC_INIT;
    struct job *const *past;
    size_t n = ui_past(ui, &past);
    list_for_each (j, &ui_model(ui)->ended, struct job, in_queue)
        if (resubmit_open_failed(j, array))
            vec_push(&v, j->array_index);
    for (size_t i = 0; i < n; i++)
        if (resubmit_open_failed(past[i], array) && !model_get_job(ui_model(ui), past[i]->id))
            vec_push(&v, past[i]->array_index);
    if (v.n)
        qsort(v.v, v.n, sizeof *v.v, resubmit_open_by_number);
    for (size_t i = 0; i < v.n;) {
        size_t k = i;
        while (k + 1 < v.n && v.v[k + 1] <= v.v[k] + 1)
            k++;
        str_appendf(out, "%s%u", out->len ? "," : "", v.v[i]);
        if (v.v[k] > v.v[i])
            str_appendf(out, "-%u", v.v[k]);
        i = k + 1;
    }
    vec_fini(&v);
}

/* --- opening --- */

/* The id and the action in one number, for the answer. */
#define ASK(job, action) ((uint64_t)(action) << 32 | (job))

static void open_form(struct ui *ui, struct form *take_f, const struct job *j, enum action a)
{
    take_f->far_env = ui_far_env(ui);
    struct str indices = STR_INIT;
    bool go = true;
    if (a == ACTION_BIGGER && !(go = resubmit_open_grow(ui, take_f, j)))
        ui_toast(ui, ROLE_WARN,
                 tr("the job did not run out of time or memory: S opens the form unchanged"));
    if (a == ACTION_FAILED_ONLY) {
        failed_indices(ui, j->array_job, &indices);
        if (indices.len && j->req.array_throttle)
            str_appendf(&indices, "%%%u", j->req.array_throttle);
        form_set(take_f, form_find_field(take_f, "array"), -1, indices.s);
        go = indices.len > 0;
        if (!go)
            ui_toast(ui, ROLE_WARN, tr("no element of the array failed"));
    }
    str_fini(&indices);
    if (go)
        ui_push(ui, &submit_view, take_f);
    else
        form_fini(take_f);
}

/* The controller no longer has the script (too long or too old): its file may still exist. */
struct reading_again {
    char *path;
    uint64_t ask;
    struct form f;
    bool loaded, dos;
    struct errtext err;
};

static void reading_free(void *arg)
{
    struct reading_again *w = arg;
    form_fini(&w->f);
    free(w->path);
    free(w);
}

static void resubmit_open_read_file(void *arg)
{
    struct reading_again *w = arg;
    w->loaded = form_load(&w->f, w->path, &w->dos, &w->err) >= 0;
}

static void file_read(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    struct reading_again *w = arg;
    const struct job *j = ui_job(ui, (uint32_t)w->ask);
    if (!w->loaded || !j || w->f.kind != JOB_KIND_BATCH) {
        ui_toast(ui, ROLE_ERROR, tr("the script is no longer stored, and %s"),
                 w->loaded ? tr("its file has changed") : w->err.s);
        return;
    }
    struct form f = w->f;
    form_init(&w->f, JOB_KIND_BATCH);
    again_fill(&f, j, ui_model(ui), ui_now(ui));
    ui_toast(ui, ROLE_WARN,
             tr("the script is no longer stored: this is %s as it is now, without arguments"), w->path);
    open_form(ui, &f, j, (enum action)(w->ask >> 32));
    ui_changed(ui);
}

static void look_for_file(struct ui *ui, const struct job *j, uint64_t ask)
{
    struct reading_again *w = xcalloc(1, sizeof *w);
    *w = (struct reading_again){.path = xstrdup(job_origin(j)->command), .ask = ask};
    form_init(&w->f, JOB_KIND_BATCH);
    ui_aside(ui, NULL, resubmit_open_read_file, file_read, w, reading_free);
}

static void resubmit_open_answered(struct ui *ui, struct view *owner, uint64_t arg,
                                   const struct incoming *in)
{
    (void)owner;
    const struct job *j = ui_job(ui, (uint32_t)arg);
    const struct msg_result *r = in && in->kind == MSG_RESULT ? in->body : NULL;
    bool here = !ui_far_env(ui); /* a file of that name may be another one here */
    if (here && j && r && r->refusal == REFUSAL_NO_JOB && job_origin(j)->command &&
        job_origin(j)->command[0] == '/') {
        look_for_file(ui, j, arg);
        return;
    }
    if (!in || in->kind != MSG_SCRIPT_TEXT || !j) {
        ui_toast(ui, ROLE_ERROR, tr("the script is not available: %s"),
                 r && !str_is_empty(r->text) ? r->text : tr("it is no longer stored"));
        return;
    }
    const struct msg_script *m = in->body;
    struct form f;
    struct str args = STR_INIT;
    form_init(&f, JOB_KIND_BATCH);
    str_clear(&f.text);
    str_append_n(&f.text, (const char *)m->script.p, m->script.n);
    for (size_t i = 0; i < m->argv.n; i++)
        words_append(&args, m->argv.v[i]);
    f.args = args.len ? str_take(&args) : NULL;
    f.path =
        job_origin(j)->command && job_origin(j)->command[0] == '/' ? xstrdup(job_origin(j)->command) : NULL;
    again_fill(&f, j, ui_model(ui), ui_now(ui));
    str_fini(&args);
    open_form(ui, &f, j, (enum action)(arg >> 32));
}

static void resubmit_open_ask_script(struct ui *ui, uint64_t ask)
{
    struct msg_job m = {.target = {.job = (uint32_t)ask, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    ui_send(ui, MSG_SCRIPT, &m, NULL, resubmit_open_answered, ask);
}

static void array_fetched(struct ui *ui, uint64_t ask, bool ok)
{
    if (ok)
        resubmit_open_ask_script(ui, ask);
    else
        ui_toast(ui, ROLE_ERROR,
                 tr("the elements are not available: it is not known which of them failed"));
}

const char *again_label(const struct job *j, bool failed, enum action a)
{
    if (!j || !job_state_is_final((enum job_state)j->state))
        return NULL;
    bool ran_out = j->state == JOB_TIMEOUT || j->state == JOB_OUT_OF_MEMORY;
    switch ((int)a) {
    case ACTION_CANCEL:
    case ACTION_WHY: return "";
    case ACTION_RESUBMIT: return tr("again");
    case ACTION_BIGGER: return ran_out ? tr("bigger") : NULL;
    case ACTION_FAILED_ONLY: return failed ? tr("failed only") : NULL;
    default: return NULL;
    }
}

bool again_act(struct ui *ui, const struct job *j, enum action a)
{
    if (a != ACTION_RESUBMIT && a != ACTION_BIGGER && a != ACTION_FAILED_ONLY)
        return false;
    if (!j)
        return true;
    if (a == ACTION_FAILED_ONLY && !j->array_job) {
        ui_toast(ui, ROLE_WARN, tr("the job is not an array"));
    } else if (j->kind == JOB_KIND_STEPS) {
        struct form f;
        form_init(&f, JOB_KIND_STEPS);
        again_steps(&f, j, ui_model(ui));
        open_form(ui, &f, j, a);
    } else if (j->kind == JOB_KIND_INTERACTIVE) {
        ui_toast(ui, ROLE_WARN, tr("the job was interactive: it has no script"));
    } else if (a == ACTION_FAILED_ONLY) { /* elements leave the queue one by one */
        ui_fetch_array(ui, j->array_job, array_fetched, ASK(j->id, a));
    } else {
        resubmit_open_ask_script(ui, ASK(j->id, a));
    }
    return true;
}
