/* Themes, which users write and hand on. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/fuzz/driver.h"
#include "ui/theme/theme.h"

/* libconfig's reader loses what it has of a string that never ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:strbuf_append\nleak:libconfig_yylex\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int colors[] = {0, 8, 16, 256, 1 << 24};
    int fd = memfd_create("theme", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    char *path = xasprintf("/proc/self/fd/%d", fd);
    for (size_t i = 0; i < sizeof colors / sizeof colors[0]; i++) {
        struct theme t;
        struct errtext err = {""};
        theme_init(&t, colors[i]);
        if (theme_load(&t, path, &err) == 0) {
            struct str s = STR_INIT;
            for (enum role r = 0; r < ROLE_N; r++)
                style_format(theme_style(&t, r, r), &s);
            str_fini(&s);
        }
    }
    free(path);
    close(fd);
    return 0;
}
