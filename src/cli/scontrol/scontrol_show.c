/* scontrol_show.c - scontrol show. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/cli/jobfilter.h"
#include "src/cli/listing/jobjson.h"
#include "src/cli/scontrol/scontrol_record.h"
#include "src/cli/scontrol/scontrol_reservation.h"
#include "src/cli/scontrol/scontrol_show.h"
#include "src/model/model.h"
#include "src/model/stepstate.h"
#include "src/os/file.h"
#include "src/values/hostlist.h"

static int scontrol_show_print(struct str *out)
{
    out_flush(out);
    str_fini(out);
    return 0;
}

/* "job=12", "jobid=12", "12" alike. */
static const char *behind_equals(const char *word)
{
    const char *eq = strchr(word, '=');
    return eq ? eq + 1 : word;
}

/* --- jobs and steps --- */

struct shown {
    struct str out;
    size_t n;
};

static void show_one_job(struct scontrol *s, struct shown *sh, const struct job_row *row,
                         const struct job_cx *cx)
{
    if (s->json)
        job_json_append(&sh->out, row, cx);
    else
        record_job(&sh->out, row, cx, s->oneline, s->detail);
    sh->n++;
}

static void show_target(struct scontrol *s, struct shown *sh, const struct job_target *t,
                        const struct model *m, const struct job_cx *cx)
{
    list_for_each (j, &m->all, struct job, in_all) {
        if (!job_is_listed(j, m) || !job_is_named(j, t->job, t->array_index))
            continue;
        bool splits = t->array_index != ARRAY_NONE && j->array_index == ARRAY_NONE;
        struct job_row row = {.job = j, .element = splits ? t->array_index : ARRAY_NONE};
        show_one_job(s, sh, &row, cx);
    }
}

static int show_jobs(struct scontrol *s, size_t n, char *const *w)
{
    struct target_list targets = {0};
    struct msg_get get = {.what = GET_SPEC | GET_JOBS};
    struct shown sh = {.out = STR_INIT};
    struct model m;
    for (size_t i = 0; i < n; i++) {
        bool all = str_eq(behind_equals(w[i]), "0"); /* Slurm's number of no job in particular */
        if (!all && targets_add_list(&targets, behind_equals(w[i]), NULL) < 0) {
            target_list_fini(&targets);
            return scontrol_failed(s, "scontrol_print_job", "Invalid job id specified");
        }
    }
    bool few = targets.list.n <= GET_NAMES_MAX; /* else all are asked for and looked through here */
    for (size_t i = 0; few && i < targets.list.n; i++)
        *rec_list_push(&get.jobs) = targets.list.v[i];
    int rc = scontrol_fetch(s, &get, &m, "slurm_load_jobs");
    if (rc == 0) {
        struct job_cx cx = job_cx_from_env(&m);
        if (s->json)
            job_json_open(&sh.out);
        for (size_t i = 0; i < targets.list.n && rc == 0; i++) {
            size_t before = sh.n;
            show_target(s, &sh, &targets.list.v[i], &m, &cx);
            if (sh.n == before)
                rc = scontrol_failed(s, "slurm_load_jobs", "Invalid job id specified");
        }
        if (!targets.list.n)
            list_for_each (j, &m.all, struct job, in_all)
                if (job_is_listed(j, &m))
                    show_one_job(s, &sh, &(struct job_row){.job = j, .element = ARRAY_NONE}, &cx);
        if (s->json)
            job_json_close(&sh.out);
        else if (!sh.n && !targets.list.n)
            str_append(&sh.out, "No jobs in the system\n");
    }
    out_flush(&sh.out);
    str_fini(&sh.out);
    target_list_fini(&targets);
    rec_fini(&msg_get_rec, &get);
    model_fini(&m);
    return rc;
}

static int show_steps(struct scontrol *s, size_t n, char *const *w)
{
    struct job_target t = {.array_index = ARRAY_NONE, .step = STEP_ALL};
    struct msg_get get = {.what = GET_SPEC | GET_JOBS, .states = STATES_QUEUED};
    struct str out = STR_INIT;
    struct model m;
    uint32_t task;
    if (n && target_parse_one(behind_equals(w[0]), &t, &task, NULL) < 0)
        return scontrol_failed(s, "slurm_get_job_steps", "Invalid job id specified");
    if (n)
        *rec_list_push(&get.jobs) = t;
    int rc = scontrol_fetch(s, &get, &m, "slurm_get_job_steps");
    if (rc == 0) {
        struct job_cx cx = job_cx_from_env(&m);
        list_for_each (j, &m.all, struct job, in_all)
            for (size_t i = 0; i < j->steps.n; i++) {
                const struct step *st = &j->steps.v[i];
                bool named = !n || (job_is_named(j, t.job, t.array_index) &&
                                    (t.step == STEP_ALL || t.step == st->id));
                if (named && !st->done && step_has_begun(st))
                    record_step(&out, j, st, &cx, s->oneline);
            }
        if (!out.len && n) {
            str_appendf(&out, "Job step %s not found\n", behind_equals(w[0]));
            rc = 1;
        } else if (!out.len)
            str_append(&out, "No job steps in the system\n");
    }
    rec_fini(&msg_get_rec, &get);
    model_fini(&m);
    scontrol_show_print(&out);
    return rc;
}

/* --- nodes and partitions --- */

static int show_nodes(struct scontrol *s, size_t n, char *const *w)
{
    struct msg_get get = {.what = GET_SPEC | GET_NODES | GET_WINDOWS};
    struct str out = STR_INIT;
    struct strv names = {0};
    struct model m;
    for (size_t i = 0; i < n; i++) {
        struct strv some = {0};
        if (hostlist_expand(behind_equals(w[i]), &some, NULL) == 0)
            for (size_t k = 0; k < some.n; k++)
                strv_push(&names, some.v[k]);
        strv_fini(&some);
    }
    int rc = scontrol_fetch(s, &get, &m, "slurm_load_node");
    if (rc == 0) {
        struct node_cx cx = {.m = &m, .time = timetext_from(getenv("SLURM_TIME_FORMAT"), m.now)};
        for (size_t i = 0; i < m.n_nodes && !n; i++)
            record_node(&out, m.nodes[i], &cx, s->oneline);
        for (size_t i = 0; i < names.n; i++) {
            const struct node *node = model_get_node(&m, names.v[i]);
            if (node) {
                record_node(&out, node, &cx, s->oneline);
            } else {
                str_appendf(&out, "Node %s not found\n", names.v[i]);
                rc = 1;
            }
        }
        if (n && !names.n) {
            str_appendf(&out, "Node %s not found\n", w[0]);
            rc = 1;
        } else if (!out.len) {
            str_append(&out, "No nodes in the system\n");
        }
    }
    strv_fini(&names);
    model_fini(&m);
    scontrol_show_print(&out);
    return rc;
}

static int show_partitions(struct scontrol *s, size_t n, char *const *w)
{
    struct msg_get get = {.what = GET_SPEC | GET_NODES};
    struct str out = STR_INIT;
    struct model m;
    const char *name = n ? behind_equals(w[0]) : NULL;
    int rc = scontrol_fetch(s, &get, &m, "slurm_load_partitions");
    if (rc == 0) {
        for (size_t i = 0; i < m.spec.parts.n; i++)
            if (!name || str_eq(m.spec.parts.v[i].name, name))
                record_partition(&out, &m.spec.parts.v[i], &m, s->oneline);
        if (!out.len && name) {
            str_appendf(&out, "Partition %s not found\n", name);
            rc = 1;
        } else if (!out.len) {
            str_append(&out, "No partitions in the system\n");
        }
    }
    model_fini(&m);
    scontrol_show_print(&out);
    return rc;
}

static int show_config(struct scontrol *s, __attribute__((unused)) size_t n,
                       __attribute__((unused)) char *const *w)
{
    struct msg_get get = {.what = GET_SPEC};
    struct str out = STR_INIT;
    struct model m;
    int rc = scontrol_fetch(s, &get, &m, "slurm_load_ctl_conf");
    if (rc == 0) {
        struct timetext time = timetext_from(getenv("SLURM_TIME_FORMAT"), m.now);
        record_config(&out, &m, &time, client_welcome(s->client)->host, client_paths(s->client)->state);
    }
    model_fini(&m);
    scontrol_show_print(&out);
    return rc;
}

/* --- lists of hosts: no controller needed --- */

static const char *list_from_env(void)
{
    static const char *const names[] = {"SLURM_JOB_NODELIST", "SLURM_NODELIST"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *v = getenv(names[i]);
        if (!str_is_empty(v))
            return v;
    }
    return NULL;
}

static int hosts_failed(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

static int show_hostnames(__attribute__((unused)) struct scontrol *s, size_t n, char *const *w)
{
    const char *list = n ? w[0] : list_from_env();
    struct strv names = {0};
    struct str out = STR_INIT;
    struct errtext err = {0};
    if (str_is_empty(list))
        return hosts_failed("host list is empty");
    if (hostlist_expand(list, &names, &err) < 0) {
        fprintf(stderr, "Invalid hostlist: %s\n", list);
        return 1;
    }
    for (size_t i = 0; i < names.n; i++) {
        text_append_foreign(&out, names.v[i], "");
        str_append_char(&out, '\n');
    }
    strv_fini(&names);
    return scontrol_show_print(&out);
}

static int scontrol_show_by_name(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int compress(const char *list, bool sorted)
{
    struct strv names = {0};
    struct str out = STR_INIT;
    if (str_is_empty(list))
        return hosts_failed("host list is empty");
    /* names may stand one on a line, in a file or from standard input */
    struct strv parts = strv_split(list, "\n \t");
    for (size_t i = 0; i < parts.n; i++) {
        struct strv some = {0};
        if (hostlist_expand(parts.v[i], &some, NULL) == 0)
            for (size_t k = 0; k < some.n; k++)
                strv_push(&names, some.v[k]);
        strv_fini(&some);
    }
    strv_fini(&parts);
    if (sorted && names.n)
        qsort(names.v, names.n, sizeof names.v[0], scontrol_show_by_name);
    if (names.n) {
        char *text = hostlist_compress(&names);
        text_append_foreign(&out, text, "");
        str_append_char(&out, '\n');
        free(text);
    }
    strv_fini(&names);
    return scontrol_show_print(&out);
}

static char *scontrol_show_read_all(const char *path)
{
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct str text = STR_INIT;
    if (fd < 0)
        return NULL;
    file_read_fd(fd, 1 << 20, &text);
    if (fd != STDIN_FILENO)
        close(fd);
    return str_take(&text);
}

static int show_hostlist_any(size_t n, char *const *w, bool sorted)
{
    const char *list = n ? w[0] : list_from_env();
    bool is_file = list && (list[0] == '/' || strcmp(list, "-") == 0);
    char *text = is_file ? scontrol_show_read_all(list) : xstrdup(list);
    int rc = compress(text, sorted);
    free(text);
    return rc;
}
static int show_hostlist(__attribute__((unused)) struct scontrol *s, size_t n, char *const *w)
{
    return show_hostlist_any(n, w, false);
}
static int show_hostlist_sorted(__attribute__((unused)) struct scontrol *s, size_t n, char *const *w)
{
    return show_hostlist_any(n, w, true);
}

/* --- reservations, licences, what this cluster has none of --- */

static int show_reservations(struct scontrol *s, size_t n, char *const *w)
{
    return scontrol_show_reservations(s, n ? behind_equals(w[0]) : NULL);
}

static uint32_t licenses_used(const struct model *m, const char *name)
{
    uint64_t used = 0;
    list_for_each (j, &m->active, struct job, in_queue) {
        struct strv items = strv_split(req_detail(&j->req)->licenses, ",;");
        for (size_t i = 0; i < items.n; i++) {
            char *number = strpbrk(items.v[i], ":*=");
            if (number)
                *number++ = '\0';
            if (str_eq(items.v[i], name))
                used += number ? strtoul(number, NULL, 10) : 1;
        }
        strv_fini(&items);
    }
    return used > UINT32_MAX ? UINT32_MAX : (uint32_t)used;
}

static int show_licenses(struct scontrol *s, __attribute__((unused)) size_t n,
                         __attribute__((unused)) char *const *w)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS, .states = STATES_QUEUED};
    struct model m;
    struct str out = STR_INIT;
    int rc = scontrol_fetch(s, &get, &m, "slurm_load_licenses");
    for (size_t i = 0; i < m.spec.licenses.n; i++) {
        const struct license_spec *l = &m.spec.licenses.v[i];
        uint32_t used = licenses_used(&m, l->name);
        str_appendf(&out, "LicenseName=%s%s    Total=%u Used=%u Free=%u Reserved=0 Remote=no\n", l->name,
                    s->oneline ? "" : "\n", l->count, used, used < l->count ? l->count - used : 0);
    }
    if (!rc && !m.spec.licenses.n)
        str_append(&out, "No licenses configured in Slurm.\n");
    model_fini(&m);
    return scontrol_show_print(&out) ? 1 : rc;
}

static int show_daemons(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                        __attribute__((unused)) char *const *w)
{
    puts("slurmctld slurmd ");
    return 0;
}

/* Node name and host name, where they differ: here that cannot be configured otherwise. */
static int show_aliases(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                        __attribute__((unused)) char *const *w)
{
    const char *node = getenv("SLURMD_NODENAME");
    char host[256] = "localhost";
    gethostname(host, sizeof host - 1);
    printf("%.*s\n", (int)strcspn(node ? node : host, "."), node ? node : host);
    return 0;
}

/* Burst buffers, federations: none, and Slurm says nothing where there are none. */
static int show_nothing(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                        __attribute__((unused)) char *const *w)
{
    return 0;
}
static int show_frontend(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                         __attribute__((unused)) char *const *w)
{
    puts("No nodes in the system");
    return 0;
}
static int show_topology(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                         __attribute__((unused)) char *const *w)
{
    fputs("scontrol: error: No topology information available\n", stderr);
    return 0;
}

static const struct {
    const char *name;
    size_t min;
    int (*run)(struct scontrol *s, size_t n, char *const *w);
} entities[] = {
    {.name = "jobs", .min = 1, .run = show_jobs},
    {.name = "jobid", .min = 4, .run = show_jobs},
    {.name = "steps", .min = 2, .run = show_steps},
    {.name = "stepid", .min = 5, .run = show_steps},
    {.name = "nodes", .min = 1, .run = show_nodes},
    {.name = "nodename", .min = 5, .run = show_nodes},
    {.name = "partitions", .min = 1, .run = show_partitions},
    {.name = "partitionname", .min = 10, .run = show_partitions},
    {.name = "config", .min = 1, .run = show_config},
    {.name = "hostnames", .min = 5, .run = show_hostnames},
    {.name = "hostlistsorted", .min = 9, .run = show_hostlist_sorted},
    {.name = "hostlist", .min = 5, .run = show_hostlist},
    {.name = "reservations", .min = 1, .run = show_reservations},
    {.name = "reservationname", .min = 12, .run = show_reservations},
    {.name = "licenses", .min = 1, .run = show_licenses},
    {.name = "daemons", .min = 1, .run = show_daemons},
    {.name = "aliases", .min = 2, .run = show_aliases},
    {.name = "bbstat", .min = 2, .run = show_nothing},
    {.name = "burstbuffer", .min = 2, .run = show_nothing},
    {.name = "dwstat", .min = 2, .run = show_nothing},
    {.name = "federation", .min = 2, .run = show_nothing},
    {.name = "frontend", .min = 2, .run = show_frontend},
    {.name = "topology", .min = 1, .run = show_topology},
};

int scontrol_show(struct scontrol *s, size_t n, char *const *w)
{
    /* "show job=12" names the thing in one word */
    char *entity = xstrndup(w[0], strcspn(w[0], "="));
    bool joined = strchr(w[0], '=') != NULL;
    int rc = -1;
    for (size_t i = 0; i < sizeof entities / sizeof entities[0] && rc < 0; i++)
        if (word_begins(entity, entities[i].name, entities[i].min))
            rc = entities[i].run(s, joined ? n : n - 1, joined ? w : w + 1);
    if (rc < 0) {
        fprintf(stderr, "invalid entity:%s for keyword:show \n", entity);
        rc = 1;
    }
    free(entity);
    return rc;
}
