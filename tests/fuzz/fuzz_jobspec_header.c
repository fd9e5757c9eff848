/* Batch scripts: their form, their #SBATCH lines, and those as something to be edited. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/jobspec/directives.h"
#include "src/jobspec/jobopts.h"
#include "src/jobspec/script.h"
#include "tests/fuzz/driver.h"

static void header_line(const struct script_line *line)
{
    struct jobopts o;
    struct strv operands = {0};
    struct errtext err;
    jobopts_init(&o);
    o.level = LEVEL_HEADER;
    enum opt_result r = opt_parse(&jobopts_table, &o, (int)line->argv.n, line->argv.v, 0, &operands, &err);
    if (r == OPT_OK && jobopts_finish(&o, &err) == 0)
        assert(o.req.nodes_min == NOT_GIVEN || o.req.nodes_max == NOT_GIVEN ||
               o.req.nodes_min <= o.req.nodes_max);
    strv_fini(&operands);
    jobopts_fini(&o);
}

/* What has been set is found again, and what was taken out is not. */
static void edit(const char *s)
{
    struct str text = STR_INIT;
    struct directives d = {0};
    const struct opt *name = opt_find(&jobopts_table, "job-name", 0);
    str_append(&text, s);
    directives_set(&text, &jobopts_table, name, "a b");
    directives_read(&d, &jobopts_table, text.s);
    const struct directive *found = directives_find(&d, name->id);
    assert(found && found->value && strcmp(found->value, "a b") == 0);
    directives_fini(&d);
    directives_remove(&text, &jobopts_table, name->id);
    d = (struct directives){0};
    directives_read(&d, &jobopts_table, text.s);
    assert(!directives_find(&d, name->id));
    directives_fini(&d);
    str_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    size = strlen(s);
    struct script script = {.text = {.p = xmemdup(s, size + 1), .n = size}, .name = xstrdup("fuzz")};
    struct script_header h = {0};
    struct errtext err;
    if (script_check(&script.text, &err) == 0 && script_parse_header(&script, &h, &err) == 0) {
        for (size_t i = 0; i < h.n; i++)
            header_line(&h.v[i]);
        script_header_fini(&h);
    }
    script_fini(&script);
    edit(s);
    free(s);
    return 0;
}
