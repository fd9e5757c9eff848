/* Names of jobs, elements, steps: what is printed names the same. */
#include <assert.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/jobspec/jobtargets.h"
#include "tests/fuzz/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    struct target_list t = {0};
    struct str text = STR_INIT;
    if (targets_add_list(&t, s, NULL) == 0)
        for (size_t i = 0; i < t.list.n; i++) {
            struct target_list back = {0};
            str_clear(&text);
            target_append(&text, &t.list.v[i]);
            int r = targets_add(&back, text.s, NULL);
            assert(r == 0 && back.list.n == 1 && back.list.v[0].job == t.list.v[i].job &&
                   back.list.v[0].array_index == t.list.v[i].array_index);
            target_list_fini(&back);
        }
    target_list_fini(&t);
    str_fini(&text);
    free(s);
    return 0;
}
