/* Text from anywhere, made fit for a terminal. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "tests/fuzz/driver.h"

static void cells(const char *s)
{
    for (int max = -1; max < 6; max++) {
        struct str out = STR_INIT;
        int n = cell_text(&out, s, max, max % 2, max == 4);
        assert(utf8_is_valid(out.s, out.len) && (max < 0 ? n == cell_width(s) : n <= max));
        str_fini(&out);
    }
    if (utf8_is_clean_name(s, 64))
        assert(utf8_is_valid(s, strlen(s)) && cell_width(s) > 0);
}

static void words(const char *s)
{
    for (int comments = 0; comments < 2; comments++) {
        struct strv v = {0};
        int r = words_split(s, comments, &v);
        assert(r == 0 || v.n <= strlen(s));
        strv_fini(&v);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    cells(s);
    words(s);
    free(s);
    return 0;
}
