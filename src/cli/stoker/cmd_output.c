/* cmd_output.c - stoker output: what a job, a step or a task has printed.
 *
 * Files are opened here, as the user who asks; root opens them as the owner of the job. What is in no file
 * of this machine, in the spool of the node or in a file there, comes through the controller.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/cli/lookup.h"
#include "src/cli/step/follow.h"
#include "src/cli/step/outfilter.h"
#include "src/cli/step/tailfile.h"
#include "src/client/client_remote.h"
#include "src/jobenv/filename.h"
#include "src/lang/lang.h"
#include "src/model/stepstate.h"
#include "src/model/task_parts.h"
#include "src/text/jobtext.h"
#include "src/text/steptext.h"
#include "src/values/units.h"

#define BUF_SIZE    65536
#define SPOOL_CHUNK (256u << 10)
#define SPOOL_WAIT  5000
#define SPOOL_TAIL  (64u << 20) /* of a spooled stream, how much -n looks through */
#define TAIL_MIN    (64u << 10) /* so much before its end -n begins, and for each line ... */
#define TAIL_LINE   1024u       /* ... so much more */

struct output {
    bool follow, errors, by_lines;
    uint64_t lines;
    uint32_t task; /* NOT_GIVEN: none named */
};

enum { O_LINES = 1, O_TASK };

static const struct opt table[] = {
    {OPT_SETS(struct output, follow), .name = "follow", .letter = 'f',
     .help = N_("go on until the job has ended")},
    {OPT_SETS(struct output, errors), .name = "err", .letter = 'e', .help = N_("its standard error")},
    {.id = O_LINES,
     .name = "lines",
     .letter = 'n',
     .arg = OPT_REQUIRED,
     .meta = "LINES",
     .help = N_("only the last lines")},
    {.id = O_TASK,
     .name = "task",
     .arg = OPT_REQUIRED,
     .meta = "N",
     .help = N_("of the named step, else of the last one that has begun: as JOB.STEP.N")},
};

static int output_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct output *q = ctx;
    int64_t n;
    switch (o->id) {
    case O_LINES:
        if (int_parse(arg, 0, 1000000000, &n, err) < 0)
            return -EINVAL;
        q->by_lines = true;
        q->lines = (uint64_t)n;
        break;
    case O_TASK:
        if (int_parse(arg, 0, NOT_GIVEN - 1, &n, err) < 0)
            return -EINVAL;
        q->task = (uint32_t)n;
        break;
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, output_set_option);

/* --- what there is to print --- */

struct output_source {
    char *path; /* NULL: spooled */
    uint32_t owner;
    struct launch_key key;
    uint32_t rank;
    char *title;
    const char *node; /* where it was written; NULL: not known. The job's */
};

struct output_sources {
    const struct model *m; /* whose nodes they are on */
    VEC(struct output_source) v;
};

static void sources_fini(struct output_sources *s)
{
    vec_for_each (&s->v, i) {
        free(s->v.v[i].path);
        free(s->v.v[i].title);
    }
    vec_fini(&s->v);
}

/* Nodes with files of their own have each another one under that name. */
static bool has_path(const struct output_sources *s, const char *path, const char *node)
{
    const struct node_spec *n = spec_find_node(&s->m->spec, node);
    vec_for_each (&s->v, i)
        if (str_eq(s->v.v[i].path, path) && (!n || !n->own_files || str_eq(s->v.v[i].node, node)))
            return true;
    return false;
}

static void add_rank(struct output_sources *s, const struct output *o, const struct job *j,
                     const struct step *st, const struct task *t, uint32_t rank)
{
    char id[16];
    char *path = o->errors ? step_stderr_path(j, st, t, rank) : step_stdout_path(j, st, t, rank);
    if (path && has_path(s, path, t->alloc.node)) { /* ranks that share a file */
        free(path);
        return;
    }
    struct output_source src = {.path = path,
                                .owner = j->uid,
                                .key = {.job = j->id, .step = st->id, .task = t->index},
                                .rank = rank,
                                .node = t->alloc.node,
                                .title = xasprintf("%u.%s.%u", j->id, step_format_id(st->id, id),
                                                   j->kind == JOB_KIND_STEPS ? t->index : rank)};
    vec_push(&s->v, src);
}

/* In a step job the third number is a task; in an srun step it is a rank, as users of Slurm count. */
static void output_add_step(struct output_sources *s, const struct output *o, const struct job *j,
                            const struct step *st, uint32_t task)
{
    for (size_t i = 0; i < st->tasks.n; i++) {
        const struct task *t = &st->tasks.v[i];
        bool begun = t->state == TASK_RUNNING || (t->state == TASK_DONE && wall_is_set(t->t_start));
        if (!begun)
            continue;
        bool declared = j->kind == JOB_KIND_STEPS;
        if (declared && task != NOT_GIVEN && t->index != task)
            continue;
        for (uint32_t i_rank = 0; i_rank < (t->n_ranks ? t->n_ranks : 1); i_rank++) {
            uint32_t r = step_rank(st, t, i_rank);
            if (declared || task == NOT_GIVEN || r == task)
                add_rank(s, o, j, st, t, r);
        }
    }
}

static void find_sources(struct output_sources *s, const struct output *o, const struct job *j,
                         const struct step *step, uint32_t task)
{
    if (step) {
        output_add_step(s, o, j, step, task);
        return;
    }
    if (j->kind == JOB_KIND_BATCH && wall_is_set(j->t_start)) {
        struct output_source src = {.path = o->errors ? job_stderr_path(j) : job_stdout_path(j),
                                    .owner = j->uid,
                                    .key = {.job = j->id, .step = STEP_BATCH},
                                    .node = j->alloc.n ? j->alloc.v[0].node : NULL,
                                    .title = xasprintf("%u", j->id)};
        vec_push(&s->v, src);
    }
    for (size_t i = 0; j->kind == JOB_KIND_STEPS && i < j->steps.n; i++)
        output_add_step(s, o, j, &j->steps.v[i], NOT_GIVEN);
}

/* Whether the bytes are to come from the node: where the cluster is another machine's, where the node
 * shares no files, and where one that may share them all the same has not put this file here. */
static bool is_elsewhere(const struct model *m, const struct output_source *s)
{
    if (client_remote_host())
        return true;
    const struct node_spec *n = spec_find_node(&m->spec, s->node);
    if (!s->path || !n)
        return !s->path;
    return n->own_files || (str_eq(n->transport, "ssh") && access(s->path, F_OK) < 0 && errno != EACCES);
}

/* --- printing --- */

struct printer {
    struct outfilter filter;
    struct str out;
};

static bool output_put(struct printer *p, const char *data, size_t n)
{
    outfilter_append(&p->filter, &p->out, data, n);
    return out_flush(&p->out);
}

static void printer_fini(struct printer *p)
{
    outfilter_finish(&p->filter, &p->out);
    out_flush(&p->out);
    str_fini(&p->out);
}

/* Reads the file to its present end. Returns false if the reader of our output has gone. */
static bool pump(const struct cli *cli, struct tailfile *t, struct printer *p)
{
    static char buf[BUF_SIZE];
    for (;;) {
        ssize_t n = tailfile_read(t, buf, sizeof buf);
        if (n == TAIL_CUT)
            cli_say(cli, tr("%s was cut; it begins again"), t->path);
        else if (n == TAIL_REPLACED)
            cli_say(cli, tr("%s is a new file now"), t->path);
        else if (n == -ESTALE || n == -EIO)
            cli_say(cli, "%s: %s", t->path, strerror((int)-n));
        if (n <= 0 && n != TAIL_CUT && n != TAIL_REPLACED)
            return true;
        if (n > 0 && !output_put(p, buf, (size_t)n))
            return false;
    }
}

static void say_where(const struct cli *cli, const struct job *j, const char *text)
{
    struct str nodes = STR_INIT;
    jobtext_nodes(&nodes, j);
    if (nodes.len)
        cli_error(cli, tr("%s (the job ran on %s)"), text, nodes.s);
    else
        cli_error(cli, "%s", text);
    str_fini(&nodes);
}

static int print_file(const struct output *o, const struct cli *cli, const struct job *j,
                      const struct output_source *s)
{
    struct tailfile t;
    struct errtext err = {0};
    struct printer p = {.filter.raw = !isatty(STDOUT_FILENO), .out = STR_INIT};
    if (tailfile_open(&t, s->path, s->owner, false, &err) < 0) {
        say_where(cli, j, err.s);
        return 1;
    }
    if (o->by_lines)
        tailfile_seek_lines(&t, o->lines);
    pump(cli, &t, &p);
    printer_fini(&p);
    tailfile_close(&t);
    return 0;
}

/* Where the last n lines of text begin. */
static size_t last_lines(const struct str *text, uint64_t n)
{
    uint64_t found = 0;
    size_t at = text->len;
    if (!n)
        return at;
    if (at && text->s[at - 1] == '\n')
        at--;
    while (at > 0) {
        if (text->s[at - 1] == '\n' && ++found == n)
            return at;
        at--;
    }
    return 0;
}

static int print_spool(const struct output *o, const struct cli *cli, struct client *c,
                       const struct output_source *s)
{
    struct printer p = {.filter.raw = !isatty(STDOUT_FILENO), .out = STR_INIT};
    struct msg_output_read body = {
        .key = s->key, .rank = s->rank, .stream = o->errors ? 2 : 1, .max = SPOOL_CHUNK};
    struct str held = STR_INIT; /* with -n: everything until the present end */
    bool holds = o->by_lines;
    int rc = 0;
    for (bool more = true; more;) {
        struct errtext err = {0};
        enum refusal refusal;
        body.wait_ms = o->follow && !holds ? SPOOL_WAIT : 0;
        struct msg_output_data *d = ask_call(c, MSG_OUTPUT_READ, &body, MSG_OUTPUT_DATA, &refusal, &err);
        if (!d) {
            rc = ask_failed(cli, refusal, &err);
            break;
        }
        if (d->error) {
            cli_error(cli, "%s: %s", s->title, d->error);
            rc = 1;
        }
        bool first = holds && !body.offset;
        body.offset = d->offset + d->data.n;
        if (holds && held.len + d->data.n <= SPOOL_TAIL)
            str_append_n(&held, (const char *)d->data.p, d->data.n);
        else if (!output_put(&p, (const char *)d->data.p, d->data.n))
            more = false;
        if (first && d->size > body.offset + TAIL_MIN + o->lines * TAIL_LINE) {
            body.offset = d->size - TAIL_MIN - o->lines * TAIL_LINE; /* from there on is enough */
            str_clear(&held);
            msg_free(MSG_OUTPUT_DATA, d);
            continue;
        }
        bool at_end = d->eof || !d->data.n;
        if (holds && at_end) {
            size_t from = last_lines(&held, o->lines);
            output_put(&p, held.s + from, held.len - from);
            str_clear(&held);
            holds = false;
        }
        more = more && rc == 0 && !d->eof && (o->follow || !at_end);
        msg_free(MSG_OUTPUT_DATA, d);
    }
    str_fini(&held);
    printer_fini(&p);
    return rc;
}

/* --- following --- */

struct output_place {
    int32_t step;  /* STEP_ALL: the job */
    uint32_t task; /* NOT_GIVEN: the first */
};

static bool output_is_over(const struct follow *f, const struct output_place *at)
{
    const struct job *j = follow_job(f);
    if (follow_is_gone(f))
        return true;
    if (!j || job_state_is_final((enum job_state)j->state))
        return j != NULL;
    const struct step *s = at->step == STEP_ALL ? NULL : job_find_step(j, at->step);
    if (!s)
        return false;
    const struct task *t =
        at->task == NOT_GIVEN || j->kind != JOB_KIND_STEPS ? NULL : step_find_task(s, at->task);
    return t ? task_parts_are_over(s, task_parts_of(s, t)) : s->done;
}

/* What to follow, once there is something. */
static bool find_place(const struct output *o, const struct follow *f, const struct output_place *at,
                       struct output_sources *s)
{
    const struct job *j = follow_job(f);
    const struct step *step = !j || at->step == STEP_ALL ? NULL : job_find_step(j, at->step);
    if (!j || (at->step != STEP_ALL && !step))
        return false;
    find_sources(s, o, j, step, at->task);
    return s->v.n > 0;
}

static void output_turn(struct follow *f, int timeout_ms, int fd)
{
    struct follow_turn t = {0};
    if (follow_wait(f, timeout_ms, fd, &t) & FOLLOW_MESSAGE)
        msg_free(t.in.kind, t.in.body);
}

static int follow_file(const struct output *o, const struct cli *cli, struct follow *f,
                       const struct output_place *at, const struct output_source *s)
{
    const char *path = s->path;
    struct tailfile t;
    struct errtext err = {0};
    struct printer p = {.filter.raw = !isatty(STDOUT_FILENO), .out = STR_INIT};
    if (tailfile_open(&t, path, s->owner, true, &err) < 0) {
        cli_error(cli, "%s", err.s);
        return 1;
    }
    if (o->by_lines)
        tailfile_seek_lines(&t, o->lines);
    for (;;) {
        bool over =
            output_is_over(f, at); /* asked before the file is read, so that nothing of its end is missed */
        if (!pump(cli, &t, &p) || over)
            break;
        output_turn(f, tailfile_timeout(&t), t.inotify);
        if (t.inotify >= 0)
            tailfile_drain(&t);
    }
    int rc = t.fd < 0;
    if (rc)
        cli_error(cli, "%s: %s", path, strerror(ENOENT));
    printer_fini(&p);
    tailfile_close(&t);
    return rc;
}

static int follow_output(const struct output *o, const struct cli *cli, struct job_lookup *l)
{
    struct follow f;
    struct output_sources s = {.m = &l->m, .v = VEC_INIT};
    struct output_place at = {.step = l->target.step, .task = l->task};
    follow_init(&f, cli, l->client, l->job->id, false);
    l->client = NULL; /* follow has taken it */
    while (!find_place(o, &f, &at, &s) && !output_is_over(&f, &at))
        output_turn(&f, -1, -1);
    int rc = 1;
    if (!s.v.n)
        cli_error(cli, tr("job %u has ended without having started"), l->job->id);
    else if (!is_elsewhere(&l->m, &s.v.v[0]))
        rc = follow_file(o, cli, &f, &at, &s.v.v[0]);
    else if (f.client)
        rc = print_spool(o, cli, f.client, &s.v.v[0]);
    sources_fini(&s);
    follow_fini(&f);
    return rc;
}

/* --- the command --- */

/* The step that is meant, or all of those that a step job has. */
static void append_steps(struct str *out, const struct job *j, const struct step *only)
{
    char id[16];
    const char *sep = "";
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        if (only ? s != only : step_stage(j, s) != STEP_WAITS)
            continue;
        str_append(out, sep);
        str_appendf(out, tr("step %s: "), step_format_id(s->id, id));
        steptext_state(out, j, s);
        sep = ", ";
    }
}

static int say_nothing_yet(const struct cli *cli, const struct job *j, const struct step *s)
{
    struct str why = STR_INIT;
    if (j->kind == JOB_KIND_INTERACTIVE) {
        cli_error(cli, tr("job %u is interactive: its output went to its terminal"), j->id);
    } else if (j->state != JOB_PENDING) {
        append_steps(&why, j, s);
        if (why.len)
            cli_error(cli, tr("job %u has no output of that yet: %s"), j->id, why.s);
        else
            cli_error(cli, tr("job %u has no output of that yet"), j->id);
    } else {
        jobtext_reason_words(&why, j);
        if (why.len)
            cli_error(cli, tr("job %u has not started: %s"), j->id, why.s);
        else
            cli_error(cli, tr("job %u has not started"), j->id);
    }
    str_fini(&why);
    return 1;
}

static int print_output(const struct output *o, const struct cli *cli, struct job_lookup *l)
{
    struct output_sources s = {.m = &l->m, .v = VEC_INIT};
    int rc = 0;
    find_sources(&s, o, l->job, l->step, l->task);
    if (!s.v.n)
        rc = say_nothing_yet(cli, l->job, l->step);
    vec_for_each (&s.v, i) {
        if (s.v.n > 1) {
            printf("%s==> %s <==\n", i ? "\n" : "", s.v.v[i].title);
            fflush(stdout);
        }
        int one = is_elsewhere(&l->m, &s.v.v[i]) ? print_spool(o, cli, l->client, &s.v.v[i])
                                                 : print_file(o, cli, l->job, &s.v.v[i]);
        rc = one ? one : rc;
    }
    sources_fini(&s);
    return rc;
}

/* --task: of the step that is named, else of the last one that has begun. */
static int choose_task(const struct output *o, const struct cli *cli, struct job_lookup *l)
{
    if (o->task == NOT_GIVEN)
        return 0;
    for (size_t i = 0; i < l->job->steps.n && l->target.step == STEP_ALL; i++) {
        const struct step *s = &l->job->steps.v[i];
        if (s->id >= 0 && s->tasks.n && s->tasks.v[0].state != TASK_WAITING)
            l->step = s;
    }
    l->task = o->task;
    if (l->step)
        l->target.step = l->step->id;
    if (l->step && (step_find_task(l->step, o->task) || o->task < l->step->n_ranks))
        return 0;
    if (l->step)
        cli_error(cli, tr("step %u.%d has no task %u"), l->job->id, l->step->id, o->task);
    else
        cli_error(cli, tr("job %u has no step with tasks: leave --task out"), l->job->id);
    return EXIT_NOT_FOUND;
}

static int output_run(struct cli *cli, int argc, char **argv)
{
    struct output o = {.task = NOT_GIVEN};
    struct strv operands = {0};
    int rc = 0;
    if (cli_parse(cli, &o, argc, argv, 0, &operands, &rc)) {
        struct job_lookup l;
        rc = lookup_open_one(&l, cli, &operands);
        rc = rc ? rc : choose_task(&o, cli, &l);
        if (rc == 0) {
            bool follows = o.follow && l.job->kind != JOB_KIND_INTERACTIVE;
            rc = follows ? follow_output(&o, cli, &l) : print_output(&o, cli, &l);
        }
        lookup_fini(&l);
    }
    strv_fini(&operands);
    return rc;
}

const struct command cmd_output = {
    .name = "output",
    .summary = N_("Print what a job, a step or a task has printed"),
    .usage = "[-f] [--err] [-n LINES] [--task N] JOB[.STEP[.TASK]]",
    .options = &options,
    .run = output_run,
};
