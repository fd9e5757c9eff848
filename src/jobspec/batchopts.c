/* batchopts.c - the options of a batch job. */
#include "src/jobspec/batchopts.h"

#include <errno.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/model/array.h"

static int batch_set(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct batch *b = ctx;
    struct array_spec array;
    struct errtext why = {0};
    switch ((enum batchopt)o->id) {
    case B_ARRAY:
        if (array_parse(arg, ARRAY_SIZE_MAX, &array, &why)) /* the last line is as the controller's */
            return err_set(err, -EDOM,
                           tr("%s\nBatch job submission failed: Invalid job array specification"), why.s);
        b->job.req.array_throttle = array.throttle;
        array_spec_fini(&array);
        xstrset(&req_detail_mut(&b->job.req)->array_spec, arg);
        return 0;
    case B_IGNORE_PBS: return 0;
    case B_PARSABLE: b->parsable = true; return 0;
    case B_TEST_ONLY: b->test_only = true; return 0;
    case B_WAIT: b->wait = true; return 0;
    case B_WRAP: xstrset(&b->wrap, arg); return 0;
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
     .help = N_("one job for each index: 0-9, 1,3,5, 0-99:10, 0-99%4 (four at once)"),
     .env = "SBATCH_ARRAY_INX"},
    {.id = B_PARSABLE, .name = "parsable", .help = N_("print the job's id alone")},
    {.id = B_TEST_ONLY, .name = "test-only", .help = N_("say when it would start, queue nothing")},
    {.id = B_WAIT,
     .name = "wait",
     .letter = 'W',
     .help = N_("wait for its end, exit with its code"),
     .env = "SBATCH_WAIT"},
    {.id = B_WRAP,
     .name = "wrap",
     .arg = OPT_REQUIRED,
     .meta = "COMMAND",
     .help = N_("run this shell command instead of a script")},
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

int batch_take_line(struct batch *b, const char *script_name, const struct script_line *line,
                    struct errtext *err)
{
    struct strv operands = {0};
    enum opt_result r = opt_parse(&batch_opts, b, (int)line->argv.n, line->argv.v, 0, &operands, err);
    if (r == OPT_OK && operands.n) {
        err_set(err, -EINVAL, tr("Invalid directive found in batch script: %s"), operands.v[0]);
        r = OPT_BAD_VALUE;
    }
    strv_fini(&operands);
    if (r == OPT_OK || r > 0)
        return 0;
    return err_prefix(err, -EINVAL, "%s:%u", script_name, line->number);
}

int batch_take_header(struct batch *b, const struct script *s, struct errtext *err)
{
    struct script_header h;
    int rc = script_parse_header(s, &h, err);
    if (rc)
        return rc;
    b->job.level = LEVEL_HEADER;
    for (size_t i = 0; i < h.n && !rc; i++)
        rc = batch_take_line(b, s->name, &h.v[i], err);
    script_header_fini(&h);
    return rc;
}
