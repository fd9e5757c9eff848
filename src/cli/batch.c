/* batch.c - a batch job from a command line. */
#include "src/cli/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/follow.h"
#include "src/model/array.h"

static int batch_set(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct batch *b = ctx;
    struct array_spec array;
    switch ((enum batchopt)o->id) {
    case B_ARRAY:
        if (array_parse(arg, ARRAY_SIZE_MAX, &array, err))
            return err_prefix(err, -EINVAL, "Invalid --array specification");
        b->job.req.array_throttle = array.throttle;
        array_spec_fini(&array);
        free(b->job.req.array_spec);
        b->job.req.array_spec = xstrdup(arg);
        return 0;
    case B_IGNORE_PBS: return 0;
    case B_PARSABLE: b->parsable = true; return 0;
    case B_TEST_ONLY: b->test_only = true; return 0;
    case B_WAIT: b->wait = true; return 0;
    case B_WRAP:
        free(b->wrap);
        b->wrap = xstrdup(arg);
        return 0;
    }
    bug_on(true);
    return 0;
}

static const struct opt batch_table[] = {
    {.id = B_ARRAY,
     .name = "array",
     .letter = 'a',
     .arg = OPT_REQUIRED,
     .meta = "LIST",
     .help = "one job for each index: 0-9, 1,3,5, 0-99:10, 0-99%4 (four at once)",
     .env = "SBATCH_ARRAY_INX"},
    {.id = B_PARSABLE, .name = "parsable", .help = "print the job's id alone"},
    {.id = B_TEST_ONLY, .name = "test-only", .help = "say when it would start, queue nothing"},
    {.id = B_WAIT,
     .name = "wait",
     .letter = 'W',
     .help = "wait for its end, exit with its code",
     .env = "SBATCH_WAIT"},
    {.id = B_WRAP,
     .name = "wrap",
     .arg = OPT_REQUIRED,
     .meta = "COMMAND",
     .help = "run this shell command instead of a script"},
};
const struct opts batch_opts = OPTS_ALSO(batch_table, batch_set, &jobopts_table);

void batch_init(struct batch *b)
{
    *b = (struct batch){.wrap = NULL};
    jobopts_init(&b->job);
}

void batch_fini(struct batch *b)
{
    jobopts_fini(&b->job);
    free(b->wrap);
}

static int parse_header_line(struct batch *b, const struct script *s, const struct script_line *line,
                             struct errtext *err)
{
    struct strv operands = {0};
    enum opt_result r = opt_parse(&batch_opts, b, (int)line->argv.n, line->argv.v, 0, &operands, err);
    if (r == OPT_OK && operands.n) {
        err_set(err, -EINVAL, "Invalid directive found in batch script: %s", operands.v[0]);
        r = OPT_BAD_VALUE;
    }
    strv_fini(&operands);
    if (r == OPT_OK || r > 0)
        return 0;
    return err_prefix(err, -EINVAL, "%s:%u", s->name, line->number);
}

static int parse_header(struct batch *b, const struct script *s, struct errtext *err)
{
    struct script_header h;
    int rc = script_parse_header(s, &h, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < h.n && !rc; i++)
        rc = parse_header_line(b, s, &h.v[i], err);
    script_header_fini(&h);
    return rc;
}

bool batch_parse(const struct cli *cli, struct batch *b, const struct script *s, int argc, char **argv,
                 unsigned flags, int *ret_exit)
{
    struct errtext err = {0};
    struct strv env = cli_environ();
    b->job.level = LEVEL_HEADER;
    enum opt_result r = parse_header(b, s, &err) ? OPT_BAD_VALUE : OPT_OK;
    b->job.level = LEVEL_ENV;
    if (r == OPT_OK)
        r = opt_env(&batch_opts, b, &env, "SBATCH_", &err);
    b->job.level = LEVEL_COMMAND_LINE;
    if (r == OPT_OK)
        r = opt_parse(cli->cmd->options, b, argc, argv, flags, NULL, &err);
    if (r == OPT_OK && jobopts_finish(&b->job, &err))
        r = OPT_BAD_VALUE;
    strv_fini(&env);
    return cli_parsed(cli, r, &err, ret_exit);
}

static char *default_name(const struct script *s)
{
    if (!s->path)
        return xstrdup(str_eq(s->name, "wrap") ? "wrap" : "sbatch");
    const char *slash = strrchr(s->path, '/');
    return xstrdup(slash ? slash + 1 : s->path);
}

int batch_message(struct batch *b, struct script *s, char *const *args, size_t n_args,
                  struct msg_submit *ret, struct errtext *err)
{
    struct strv env;
    int rc = submission_env(b->job.export_spec, b->job.cwd, &env, err);
    if (rc)
        return rc;
    submission_init(ret, &b->job, JOB_KIND_BATCH);
    ret->test_only = b->test_only;
    ret->payload.env = env;
    ret->payload.script = s->text;
    s->text = (struct blob){.n = 0};
    for (size_t i = 0; i < n_args; i++)
        strv_push(&ret->payload.argv, args[i]);
    ret->command = xstrdup(s->path);
    if (!ret->req.name)
        ret->req.name = default_name(s);
    return 0;
}

/* --- waiting for the end --- */

static int exit_code_of(const struct job *j)
{
    if (j->exit_signal)
        return 1;
    return j->exit_code ? j->exit_code : j->state != JOB_COMPLETED;
}

/* The highest code of what there is; *ret_open: something of it has not ended. An empty answer means that
 * all is forgotten. */
static int collect_codes(const struct model *m, bool *ret_open)
{
    int code = 0;
    *ret_open = false;
    list_for_each (j, &m->all, struct job, in_all) {
        int own = job_state_is_final((enum job_state)j->state) ? exit_code_of(j) : 0;
        *ret_open = *ret_open || !job_state_is_final((enum job_state)j->state);
        code = own > code ? own : code;
    }
    return code;
}

int batch_wait(const struct cli *cli, struct client *c, uint32_t job)
{
    struct follow f;
    int code = 1;
    bool open = true;
    follow_init(&f, cli, c, job, false);
    while (open) {
        struct follow_turn t;
        if (follow_wait(&f, -1, -1, &t) & FOLLOW_MESSAGE)
            msg_free(t.in.kind, t.in.body);
        if (!f.known)
            continue;
        if (list_empty(&f.m.all))
            open = false; /* ended so long ago that it is forgotten: what was known of it stands */
        else
            code = collect_codes(&f.m, &open);
    }
    follow_fini(&f);
    return code;
}
