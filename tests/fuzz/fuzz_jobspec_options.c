/* Command lines of sbatch: words divided by line breaks. Whatever is accepted leaves a request that makes
 * sense. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/jobspec/batchopts.h"
#include "tests/fuzz/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    struct strv argv = strv_split(s, "\n"), operands = {0}, env = {0};
    struct strv line = {0};
    struct batch b;
    struct errtext err = {""};
    strv_push(&line, "sbatch");
    for (size_t i = 0; i < argv.n && i < 64; i++) {
        strv_push(&line, argv.v[i]);
        strv_push(&env, argv.v[i]);
    }
    batch_init(&b);
    b.job.level = LEVEL_ENV;
    enum opt_result r = opt_env(&batch_opts, &b, &env, "SBATCH_ SLURM_", &err);
    assert(r == OPT_OK || err.s[0]);
    b.job.level = LEVEL_COMMAND_LINE;
    err.s[0] = '\0';
    r = opt_parse(&batch_opts, &b, (int)line.n, line.v, 0, &operands, &err);
    assert(r >= OPT_OK || err.s[0]);
    if (r == OPT_OK && jobopts_finish(&b.job, &err) == 0) {
        const struct job_req *q = &b.job.req;
        assert(q->ntasks == NOT_GIVEN || q->ntasks > 0);
        assert(q->nodes_min == NOT_GIVEN || q->nodes_max == NOT_GIVEN || q->nodes_min <= q->nodes_max);
        assert(req_rare(q)->signal >= 0 && req_rare(q)->signal <= 64);
        assert(q->workdir && q->workdir[0] == '/');
    }
    batch_fini(&b);
    strv_fini(&line);
    strv_fini(&env);
    strv_fini(&argv);
    strv_fini(&operands);
    free(s);
    return 0;
}
