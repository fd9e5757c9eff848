/* scontrol_pids.c - scontrol listpids and pidinfo: processes of jobs on this machine, and the job of a
 * process.
 *
 * What the kernel says counts: a process is a task's where it descends from the supervisor of a task that
 * the controller names, and the first process of that task has the job's number in its environment.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/cli/jobfilter.h"
#include "src/cli/scontrol/scontrol_pids.h"
#include "src/jobspec/jobtargets.h"
#include "src/model/jobeffective.h"
#include "src/os/file.h"
#include "src/values/units.h"

#define ENVIRON_MAX (256u << 10)

struct process {
    pid_t pid, parent;
};

struct processes {
    VEC(struct process) v; /* by pid */
};

static pid_t parent_of(pid_t pid)
{
    char path[64], line[512];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    size_t n = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[n] = '\0';
    const char *behind = strrchr(line, ')'); /* the name may hold anything */
    if (!behind || sscanf(behind, ") %*c %d", &parent) != 1)
        return 0;
    return parent;
}

static void processes_read(struct processes *p)
{
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));) {
        int64_t pid;
        if (isdigit((unsigned char)e->d_name[0]) && int_parse(e->d_name, 1, INT32_MAX, &pid, NULL) == 0) {
            struct process one = {.pid = (pid_t)pid, .parent = parent_of((pid_t)pid)};
            if (one.parent)
                vec_push(&p->v, one);
        }
    }
    if (d)
        closedir(d);
}

static pid_t find_parent(const struct processes *p, pid_t pid)
{
    vec_for_each (&p->v, i)
        if (p->v.v[i].pid == pid)
            return p->v.v[i].parent;
    return 0;
}

static bool descends(const struct processes *p, pid_t pid, pid_t from)
{
    for (int depth = 0; pid > 1 && depth < 1000; depth++) {
        pid = find_parent(p, pid);
        if (pid == from)
            return true;
    }
    return false;
}

/* The number that a variable holds in a process's environment; -1: none, or not for us to read. */
static int64_t environ_number(pid_t pid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    struct str text = STR_INIT;
    file_read_fd(fd, ENVIRON_MAX, &text);
    close(fd);
    int64_t number = -1;
    size_t len = strlen(name);
    for (const char *p = text.s; p < text.s + text.len; p += strlen(p) + 1)
        if (strncmp(p, name, len) == 0 && p[len] == '=' &&
            int_parse(p + len + 1, 0, INT32_MAX, &number, NULL))
            number = -1;
    str_fini(&text);
    return number;
}

/* The supervisor of a task that runs on this machine; 0: it does not. */
static pid_t supervisor(const struct processes *p, const struct job *j, const struct task *t)
{
    if (t->state != TASK_RUNNING || !t->pid || environ_number((pid_t)t->pid, "SLURM_JOB_ID") != j->id)
        return 0;
    return find_parent(p, (pid_t)t->pid);
}

/* --- listpids --- */

static void append_process(struct str *out, pid_t pid, bool task, const struct job *j,
                           const struct step *st)
{
    char step[16], local[16] = "-", global[16] = "-";
    int64_t local_id = task ? environ_number(pid, "SLURM_LOCALID") : -1;
    int64_t global_id = task ? environ_number(pid, "SLURM_PROCID") : -1;
    if (local_id >= 0)
        snprintf(local, sizeof local, "%lld", (long long)local_id);
    if (global_id >= 0)
        snprintf(global, sizeof global, "%lld", (long long)global_id);
    str_appendf(out, "%-8d %-8u %-8s %-7s %-8s\n", (int)pid, j->id, step_format_id(st->id, step), local,
                global);
}

static size_t list_step(struct str *out, const struct processes *p, const struct job *j,
                        const struct step *st)
{
    size_t n = 0;
    for (size_t i = 0; i < st->tasks.n; i++) {
        pid_t top = supervisor(p, j, &st->tasks.v[i]);
        vec_for_each (&p->v, k)
            if (top && descends(p, p->v.v[k].pid, top)) {
                append_process(out, p->v.v[k].pid, p->v.v[k].parent == top, j, st);
                n++;
            }
    }
    return n;
}

static int nothing_there(size_t n, char *const *w, const struct job_target *t)
{
    if (!n)
        fprintf(stderr, "No job steps exist on this node.\n");
    else if (t->step == STEP_ALL)
        fprintf(stderr, "JobId=%s does not exist on node %s.\n", w[0], n > 1 ? w[1] : "(null)");
    else
        fprintf(stderr, "StepId=%s does not exist on node %s.\n", w[0], n > 1 ? w[1] : "(null)");
    return 1;
}

int scontrol_listpids(struct scontrol *s, size_t n, char *const *w)
{
    struct job_target t = {.array_index = ARRAY_NONE, .step = STEP_ALL};
    struct msg_get get = {.what = GET_JOBS, .states = STATES_QUEUED, .live_steps = true};
    struct processes p = {.v = VEC_INIT};
    struct str out = STR_INIT;
    struct model m;
    uint32_t task;
    size_t found = 0;
    bool named = n && strcmp(w[0], "*") != 0;
    if (named && target_parse_one(w[0], &t, &task, NULL) < 0) {
        fprintf(stderr, "Invalid job id: %s\n", w[0]);
        return 1;
    }
    int rc = scontrol_fetch(s, &get, &m, "slurm_load_jobs");
    if (rc == 0) {
        processes_read(&p);
        str_append(&out, "PID      JOBID    STEPID   LOCALID GLOBALID\n");
        list_for_each (j, &m.all, struct job, in_all)
            for (size_t i = 0; i < j->steps.n; i++)
                if (!named || (job_is_named(j, t.job, t.array_index) &&
                               (t.step == STEP_ALL || t.step == j->steps.v[i].id)))
                    found += list_step(&out, &p, j, &j->steps.v[i]);
    }
    out_flush(&out);
    if (rc == 0 && !found)
        rc = nothing_there(named ? n : 0, w, &t);
    str_fini(&out);
    vec_fini(&p.v);
    model_fini(&m);
    return rc;
}

/* --- pidinfo --- */

static const struct job *job_of(const struct model *m, const struct processes *p, pid_t pid)
{
    list_for_each (j, &m->all, struct job, in_all)
        for (size_t i = 0; i < j->steps.n; i++)
            for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
                pid_t top = supervisor(p, j, &j->steps.v[i].tasks.v[k]);
                if (top && descends(p, pid, top))
                    return j;
            }
    return NULL;
}

int scontrol_pidinfo(struct scontrol *s, __attribute__((unused)) size_t n, char *const *w)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS, .states = STATES_QUEUED, .live_steps = true};
    struct processes p = {.v = VEC_INIT};
    struct model m;
    int64_t pid = 0;
    if (int_parse(w[0], 1, INT32_MAX, &pid, NULL) < 0)
        pid = 0;
    int rc = scontrol_fetch(s, &get, &m, "slurm_load_jobs");
    if (rc == 0) {
        processes_read(&p);
        const struct job *j = pid ? job_of(&m, &p, (pid_t)pid) : NULL;
        char end[WALL_TEXT_SIZE];
        if (!j) {
            fprintf(stderr, "Failed to locate job for requested pid\n");
            rc = 1;
        } else {
            struct wall t_end = job_end_time(j, &m);
            printf("Slurm JobId=%u ends at %s\n", j->id,
                   wall_is_set(t_end) ? wall_format_iso(t_end, end) : "Unknown");
            printf("Job remaining time is %lld\n",
                   wall_is_set(t_end) ? (long long)wall_elapsed_s(m.now, t_end) : -1LL);
        }
    }
    vec_fini(&p.v);
    model_fini(&m);
    return rc;
}
