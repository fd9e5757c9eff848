/* Lines that the ranks of a step say, in both forms of PMI. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pmi/pmi_words.h"
#include "src/base/xalloc.h"
#include "tests/fuzz/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    static const char *const keys[] = {"cmd", "key", "value", "kvsname", "thrid", "rank"};
    for (int version = 1; version <= 2; version++) {
        struct pmi_words w;
        memset(&w, 0, sizeof w);
        if (version == 1)
            pmi_words_split_v1(s, &w);
        else
            pmi_words_split_v2(s, &w);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            const char *v = pmi_words_value(&w, keys[i]);
            assert(!v || strlen(v) <= size);
        }
        strv_fini(&w.v);
    }
    free(s);
    return 0;
}
