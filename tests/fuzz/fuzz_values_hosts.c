/* Lists of hosts: what is accepted is printed, and read back as the same. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/values/hostlist.h"
#include "tests/fuzz/driver.h"

static void hostlists(const char *s)
{
    struct strv v = {0}, back = {0};
    if (hostlist_expand(s, &v, NULL) < 0)
        return;
    char *text = hostlist_compress(&v);
    int r = hostlist_expand(text, &back, NULL);
    assert(r == 0 && back.n == v.n);
    for (size_t i = 0; i < v.n; i++)
        assert(strcmp(v.v[i], back.v[i]) == 0);
    free(text);
    strv_fini(&v);
    strv_fini(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    hostlists(s);
    free(s);
    return 0;
}
