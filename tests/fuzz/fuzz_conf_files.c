/* stoker.cfg and job files: whatever stands there, an answer and no more. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/conf/conf.h"
#include "src/conf/jobfile.h"
#include "tests/fuzz/driver.h"

/* libconfig 1.5 forgets texts of files that it refuses. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:strbuf_append\nleak:libconfig_yylex\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    struct cluster_spec spec;
    struct jobfile f;
    struct errtext err;
    struct wall now = {.ms = 1795185010123};
    if (conf_parse("fuzz", s, &spec, &err) == 0)
        rec_fini(&cluster_spec_rec, &spec);
    if (jobfile_parse("fuzz.job", s, now, &f, &err) == 0)
        jobfile_fini(&f);
    free(s);
    return 0;
}
