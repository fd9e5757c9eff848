#include "backend/slurm/past/slurm_sacct.h"

#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_job.h"
#include "backend/slurm/slurm_table.h"
#include "src/base/xalloc.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

/* Source: sacct(1), --format; all of them are in Slurm 20.11. */
#define SACCT_FIELDS(X)       \
    X(RAW, "JobIDRaw")        \
    X(ID, "JobID")            \
    X(UID, "UID")             \
    X(USER, "User")           \
    X(GROUP, "Group")         \
    X(ACCOUNT, "Account")     \
    X(QOS, "QOS")             \
    X(PARTITION, "Partition") \
    X(STATE, "State")         \
    X(EXIT, "ExitCode")       \
    X(SUBMIT, "Submit")       \
    X(ELIGIBLE, "Eligible")   \
    X(START, "Start")         \
    X(END, "End")             \
    X(LIMIT, "TimelimitRaw")  \
    X(NODES, "NNodes")        \
    X(CPUS, "NCPUS")          \
    X(TRES, "AllocTRES")      \
    X(NODE_LIST, "NodeList")  \
    X(WORKDIR, "WorkDir")     \
    X(NAME, "JobName")

enum sacct_field {
#define X(name, text) SACCT_##name,
    SACCT_FIELDS(X)
#undef X
        SACCT_N
};

char *slurm_sacct_format(void)
{
    static const char *const names[] = {
#define X(name, text) text,
        SACCT_FIELDS(X)
#undef X
    };
    struct str s = STR_INIT;
    str_append(&s, "--format=");
    for (size_t i = 0; i < SACCT_N; i++)
        str_appendf(&s, "%s%s", i ? "," : "", names[i]);
    return str_take(&s);
}

/* "12_3" and "12_[3-5]" name the array; ranges are elements that have never been jobs. */
static void sacct_read_array(struct job *j, const struct slurm_span *id)
{
    const char *line = memchr(id->p, '_', id->n);
    j->array_index = ARRAY_NONE;
    if (!line)
        return;
    struct slurm_span array = {id->p, (size_t)(line - id->p)},
                      index = {line + 1, id->n - (size_t)(line - id->p) - 1};
    uint32_t number = slurm_u32(&index, ARRAY_NONE);
    if (number == ARRAY_NONE)
        return;
    j->array_job = slurm_u32(&array, 0);
    j->array_index = number;
    struct job_origin *origin = job_origin_mut(j);
    origin->array_count = origin->array_step = 1;
    origin->array_min = origin->array_max = number;
}

/* "3:0" */
static void sacct_read_exit(struct job *j, const struct slurm_span *s)
{
    const char *colon = memchr(s->p, ':', s->n);
    size_t n = colon ? (size_t)(colon - s->p) : s->n;
    struct slurm_span code = {s->p, n}, sig = {s->p + n + 1, colon ? s->n - n - 1 : 0};
    j->exit_code = (int32_t)slurm_u32(&code, 0);
    j->exit_signal = colon ? (int32_t)slurm_u32(&sig, 0) : 0;
}

/* "CANCELLED by 1000": the user that cancelled it. */
static void sacct_read_canceller(struct job *j, const struct slurm_span *s)
{
    static const char mark[] = " by ";
    const char *by = memmem(s->p, s->n, mark, sizeof mark - 1);
    size_t at = by ? (size_t)(by - s->p) + sizeof mark - 1 : s->n;
    struct slurm_span number = {s->p + at, s->n - at};
    uint32_t uid = slurm_u32(&number, UINT32_MAX);
    if (j->state != JOB_CANCELLED || uid == UINT32_MAX)
        return;
    j->kill_cause = KILL_CANCEL;
    job_rare_mut(j)->kill_uid = uid;
    if (!uid) /* without a name it would be the controller */
        job_rare_mut(j)->kill_user = xstrdup("root");
}

/* The first word, as in "CANCELLED by 1000". */
static bool sacct_read_state(struct job *j, const struct slurm_span *s)
{
    size_t n = 0;
    while (n < s->n && s->p[n] != ' ' && s->p[n] != '+')
        n++;
    struct slurm_span word = {s->p, n};
    j->state = (uint8_t)slurm_job_state(&word);
    sacct_read_canceller(j, s);
    return job_state_is_final((enum job_state)j->state);
}

static void sacct_read_allocation(struct job *j, const struct slurm_span f[static SACCT_N])
{
    char *list = slurm_text(&f[SACCT_NODE_LIST]);
    struct strv names = {0};
    struct slurm_span mem = slurm_tres(&f[SACCT_TRES], "mem"),
                      gpus = slurm_tres(&f[SACCT_TRES], "gres/gpu");
    struct slurm_amounts all = {.cpus = slurm_u32(&f[SACCT_CPUS], 0),
                                .gpus = slurm_u32(&gpus, 0),
                                .mem_mib = slurm_mem_mib(&mem, 0)};
    if (list && hostlist_expand(list, &names, NULL) < 0)
        names = (struct strv){0};
    slurm_job_spread(j, &names, &all);
    strv_fini(&names);
    free(list);
}

static struct job *sacct_read(const struct slurm_span f[static SACCT_N])
{
    uint32_t id = slurm_u32(&f[SACCT_RAW], 0), minutes = slurm_u32(&f[SACCT_LIMIT], UINT32_MAX);
    uint32_t uid = slurm_u32(&f[SACCT_UID], UINT32_MAX);
    struct job *j = job_new();
    if (!id || uid == UINT32_MAX || !sacct_read_state(j, &f[SACCT_STATE])) {
        job_free(j);
        return NULL;
    }
    j->id = id;
    j->uid = uid;
    j->kind = JOB_KIND_BATCH;
    j->user = slurm_text(&f[SACCT_USER]);
    job_origin_mut(j)->group = slurm_text(&f[SACCT_GROUP]);
    j->partition = slurm_text(&f[SACCT_PARTITION]);
    j->req.name = slurm_text_any(&f[SACCT_NAME]);
    j->req.account = slurm_text(&f[SACCT_ACCOUNT]);
    req_detail_mut(&j->req)->qos = slurm_text(&f[SACCT_QOS]);
    j->req.partition = slurm_text(&f[SACCT_PARTITION]);
    j->req.workdir = slurm_text(&f[SACCT_WORKDIR]);
    j->req.nodes_min = j->req.nodes_max = slurm_u32(&f[SACCT_NODES], 1);
    j->req.ntasks = slurm_u32(&f[SACCT_CPUS], 1);
    j->req.cpus_per_task = 1;
    j->req.time_limit_s = minutes < UINT32_MAX / 60 ? minutes * 60 : DURATION_NOT_SET;
    j->time_limit_s = j->req.time_limit_s;
    j->t_submit = slurm_time(&f[SACCT_SUBMIT]);
    j->t_eligible = slurm_time(&f[SACCT_ELIGIBLE]);
    j->t_start = slurm_time(&f[SACCT_START]);
    j->t_end = j->t_settled = slurm_time(&f[SACCT_END]);
    sacct_read_array(j, &f[SACCT_ID]);
    sacct_read_exit(j, &f[SACCT_EXIT]);
    sacct_read_allocation(j, f);
    return j;
}

int slurm_sacct_next(struct slurm_span *rest, const char *word, struct job **ret, struct errtext *err)
{
    struct slurm_span f[SACCT_N];
    *ret = NULL;
    int r = slurm_columns_next(rest, word, f, SACCT_N, "sacct", err);
    if (r > 0)
        *ret = sacct_read(f);
    return r;
}
