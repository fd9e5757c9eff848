/* The file in which the screens remember what was chosen: what is read is written so that it reads the
 * same. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "tests/fuzz/driver.h"
#include "ui/state/prefs.h"

/* libconfig's reader loses what it has of a string that never ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:strbuf_append\nleak:libconfig_yylex\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size);
    struct prefs p = {0}, back = {0};
    struct errtext err = {""};
    if (prefs_parse(&p, text, &err) == 0) {
        char *once = prefs_text(&p);
        int r = prefs_parse(&back, once, &err);
        assert(r == 0);
        char *twice = prefs_text(&back);
        assert(strcmp(once, twice) == 0);
        free(once);
        free(twice);
    }
    prefs_fini(&p);
    prefs_fini(&back);
    free(text);
    return 0;
}
