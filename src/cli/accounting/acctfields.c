/* acctfields.c - the table of the fields of sacct and sstat, and the rows that they are printed of. */
#include "src/cli/accounting/acctfields.h"

#include <string.h>
#include <strings.h>

#include "src/cli/accounting/acctvalues.h"
#include "src/jobattr/jobattr.h"
#include "src/model/stepstate.h"

#define F(NAME, WIDTH, GETTER)                            \
    {                                                     \
        .name = NAME, .width = WIDTH, .get = acct_value_##GETTER \
    }

static const struct acct_field fields[] = {
    /* clang-format off */
    F("Account", 10, account), F("AdminComment", 19, nothing), F("AllocCPUS", 10, alloc_cpus),
    F("AllocNodes", 10, alloc_nodes), F("AllocTRES", 10, alloc_tres), F("AssocID", 7, assoc_id),
    F("AveCPU", 10, ave_cpu), F("AveCPUFreq", 10, nothing), F("AveDiskRead", 14, nothing),
    F("AveDiskWrite", 14, nothing), F("AvePages", 10, nothing), F("AveRSS", 10, ave_rss),
    F("AveVMSize", 10, nothing), F("BlockID", 16, nothing), F("Cluster", 10, cluster),
    F("ConsumedEnergy", 14, nothing),
    F("ConsumedEnergyRaw", 17, nothing), F("Container", 19, nothing), F("CPUTime", 10, cpu_time),
    F("CPUTimeRAW", 10, cpu_time_raw), F("DBIndex", 10, job_id_raw), F("DerivedExitCode", 15, derived_exit_code),
    F("Elapsed", 10, elapsed), F("ElapsedRaw", 10, elapsed_raw), F("Eligible", 19, eligible),
    F("End", 19, end), F("ExitCode", 8, exit_code), F("Extra", 19, nothing), F("FailedNode", 19, nothing),
    F("Flags", 20, flags), F("GID", 6, gid), F("Group", 9, group), F("JobID", -12, job_id),
    F("JobIDRaw", -12, job_id_raw), F("JobName", 10, job_name), F("Layout", 9, layout),
    F("MaxDiskRead", 12, nothing), F("MaxDiskReadNode", 15, nothing),
    F("MaxDiskReadTask", 15, nothing), F("MaxDiskWrite", 12, nothing), F("MaxDiskWriteNode", 16, nothing),
    F("MaxDiskWriteTask", 16, nothing), F("MaxPages", 8, nothing), F("MaxPagesNode", 12, nothing),
    F("MaxPagesTask", 14, nothing), F("MaxRSS", 10, max_rss), F("MaxRSSNode", 10, max_rss_node),
    F("MaxRSSTask", 10, max_rss_task), F("MaxVMSize", 10, nothing), F("MaxVMSizeNode", 14, nothing),
    F("MaxVMSizeTask", 14, nothing), F("McsLabel", 10, nothing), F("MinCPU", 10, min_cpu),
    F("MinCPUNode", 10, min_cpu_node), F("MinCPUTask", 10, min_cpu_task), F("NCPUS", 10, ncpus),
    F("NNodes", 8, nnodes), F("NodeList", 15, node_list), F("NTasks", 8, ntasks),
    F("Nodes", 15, node_list), F("Partition", 10, partition), F("Pids", 15, pids), F("Planned", 10, planned),
    F("PlannedCPU", 10, planned_cpu), F("PlannedCPURAW", 13, planned_cpu_raw), F("Priority", 10, priority),
    F("QOS", 10, qos), F("QOSRAW", 6, nothing), F("QOSREQ", 10, qos), F("Reason", 22, reason),
    F("ReqCPUFreq", 10, nothing), F("ReqCPUFreqGov", 13, nothing), F("ReqCPUFreqMax", 13, nothing),
    F("ReqCPUFreqMin", 13, nothing), F("ReqCPUS", 8, req_cpus), F("ReqGRES", 10, nothing), F("ReqMem", 10, req_mem),
    F("ReqNodes", 8, req_nodes), F("ReqTRES", 10, req_tres),
    F("ReservationId", 13, nothing), F("Reserved", 10, planned), F("Restarts", 8, restarts),
    F("ResvCPU", 10, planned_cpu), F("ResvCPURAW", 10, planned_cpu_raw), F("Start", 19, start),
    F("State", 10, state), F("StdErr", 20, std_err), F("StdIn", 20, std_in), F("StdOut", 20, std_out),
    F("Submit", 19, submit), F("SubmitLine", 20, submit_line), F("Suspended", 10, suspended),
    F("SystemComment", 20, system_comment), F("SystemCPU", 10, nothing), F("Timelimit", 10, limit),
    F("TimelimitRaw", 12, limit_raw), F("TotalCPU", 10, total_cpu), F("TRESUsageInAve", 14, tres_usage),
    F("TRESUsageInMax", 14, tres_usage), F("TRESUsageInMaxNode", 18, nothing), F("TRESUsageInMaxTask", 18, nothing),
    F("TRESUsageInMin", 14, nothing), F("TRESUsageInMinNode", 18, nothing), F("TRESUsageInMinTask", 18, nothing),
    F("TRESUsageInTot", 14, tres_usage), F("TRESUsageOutAve", 15, nothing), F("TRESUsageOutMax", 15, nothing),
    F("TRESUsageOutMaxNode", 19, nothing), F("TRESUsageOutMaxTask", 19, nothing), F("TRESUsageOutMin", 15, nothing),
    F("TRESUsageOutMinNode", 19, nothing), F("TRESUsageOutMinTask", 19, nothing), F("TRESUsageOutTot", 15, nothing),
    F("UID", 6, uid), F("User", 9, user), F("UserCPU", 10, nothing), F("WCKeyID", 8, nothing),
    /* clang-format on */
};
#define N_FIELDS (sizeof fields / sizeof fields[0])

/* --- attributes of the request: fields of jobs alone --- */

static void acct_append_attr(struct str *out, const struct job_attr *a, const struct acct_row *r)
{
    if (r->kind == ACCT_JOB && job_attr_is_text(a))
        text_append_foreign(out, job_attr_text(a, &r->job->req), "");
    else if (r->kind == ACCT_JOB)
        job_attr_append(out, a, &r->job->req);
}

/* clang-format off */
#define X(ID, ...) \
    static void attr_value_##ID(struct str *out, const struct acct_row *r, __attribute__((unused)) const struct acct_cx *cx) \
    { \
        acct_append_attr(out, &job_attrs[ATTR_##ID], r); \
    }
#define O(...)
#define ALIAS(...)
JOB_ATTRS(X, O, ALIAS)
#undef X
#define X(ID, KIND, PLACE, MEMBER, OPTION, IS, COLUMN, FIELD) {.get = attr_value_##ID, JOB_ATTR_UNWRAP FIELD},
static const struct acct_field attr_fields[] = {JOB_ATTRS(X, O, ALIAS)}; /* those without a name are none */
#undef X
#undef O
#undef ALIAS
/* clang-format on */
#define N_ATTR_FIELDS (sizeof attr_fields / sizeof attr_fields[0])

struct acct_field_list {
    const struct acct_field *v[N_FIELDS + N_ATTR_FIELDS];
    size_t n;
};

/* In Slurm's order, which is by name: attributes go before the first field whose name is greater. */
static void acct_fields_all(struct acct_field_list *l)
{
    l->n = 0;
    for (size_t i = 0; i < N_FIELDS; i++)
        l->v[l->n++] = &fields[i];
    for (size_t i = 0; i < N_ATTR_FIELDS; i++) {
        const struct acct_field *f = &attr_fields[i];
        size_t at = 0;
        while (f->name && at < l->n && strcasecmp(l->v[at]->name, f->name) < 0)
            at++;
        if (!f->name)
            continue;
        memmove(&l->v[at + 1], &l->v[at], (l->n - at) * sizeof l->v[0]);
        l->v[at] = f;
        l->n++;
    }
}

const struct acct_field *acct_field_find(const char *name, size_t n)
{
    struct acct_field_list all;
    acct_fields_all(&all);
    for (size_t i = 0; n && i < all.n; i++)
        if (strlen(all.v[i]->name) == n && strncasecmp(all.v[i]->name, name, n) == 0)
            return all.v[i];
    /* a beginning will do, as in Slurm: the first field that fits is meant */
    for (size_t i = 0; n && i < all.n; i++)
        if (strncasecmp(all.v[i]->name, name, n) == 0)
            return all.v[i];
    return NULL;
}

void acct_fields_list(struct str *out)
{
    struct acct_field_list all;
    acct_fields_all(&all);
    for (size_t i = 0; i < all.n; i++)
        str_appendf(out, "%-19s%s", all.v[i]->name, i % 4 == 3 || i + 1 == all.n ? "\n" : " ");
}

void acct_rows(const struct job *j, bool steps, void (*fn)(void *ctx, const struct acct_row *r), void *ctx)
{
    struct acct_row row = {.kind = ACCT_JOB, .job = j};
    fn(ctx, &row);
    if (!steps || !wall_is_set(j->t_start) || j->state == JOB_PENDING)
        return;
    const struct step *batch = job_find_step(j, STEP_BATCH);
    if (batch)
        fn(ctx, &(struct acct_row){.kind = ACCT_STEP, .job = j, .step = batch});
    if (j->kind != JOB_KIND_STEPS)
        fn(ctx, &(struct acct_row){.kind = ACCT_EXTERN, .job = j});
    for (size_t i = 0; i < j->steps.n; i++)
        if (&j->steps.v[i] != batch && step_has_begun(&j->steps.v[i]))
            fn(ctx, &(struct acct_row){.kind = ACCT_STEP, .job = j, .step = &j->steps.v[i]});
}
