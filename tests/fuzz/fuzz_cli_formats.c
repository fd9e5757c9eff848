/* What -o and -O of the listings take, in all of their languages, and headers made of it. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/cli/accounting/acctfields.h"
#include "src/cli/jobfilter.h"
#include "src/cli/listing/columns.h"
#include "tests/fuzz/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    struct format f = {.items = VEC_INIT}, g = {.items = VEC_INIT};
    struct acct_format a = {.items = VEC_INIT};
    struct sorting by = {.items = VEC_INIT};
    struct strv unknown = {0};
    struct str out = STR_INIT;
    uint32_t states;
    format_parse_letters(&f, &job_columns, s, &unknown);
    format_parse_names(&g, &job_columns, s, &unknown);
    format_header(&out, &f);
    format_header(&out, &g);
    if (acct_format_parse(&a, s, NULL) == 0)
        acct_format_header(&out, &a);
    if (sorting_parse(&by, &job_columns, s, NULL) == 0)
        str_append_char(&out, '.');
    if (filter_parse_states(s, &states, NULL) == 0)
        str_append_char(&out, '.');
    sorting_fini(&by);
    acct_format_fini(&a);
    format_fini(&f);
    format_fini(&g);
    strv_fini(&unknown);
    str_fini(&out);
    free(s);
    return 0;
}
