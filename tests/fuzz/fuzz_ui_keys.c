/* What a terminal sends, and what sends in its place: keys, pastes, answers, in pieces of any size. */
#include <assert.h>
#include <string.h>

#include "src/base/utf8.h"
#include "tests/fuzz/driver.h"
#include "ui/keys/key_decode.h"

static void check(const struct input *in)
{
    if (in->kind == INPUT_PASTE)
        assert(in->text && utf8_is_valid(in->text, strlen(in->text)));
    if (in->kind == INPUT_MOUSE)
        assert(in->y >= 0 && in->x >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct key_decoder d;
    struct input in;
    int64_t now = 1;
    size_t inputs = 0;
    decoder_init(&d);
    decoder_know(&d, "\x1bOP", KEYNAME_F1);
    /* A byte says how much comes at once, and after which time. */
    for (size_t at = 0; at < size;) {
        size_t n = data[at] % 16 + 1, left = size - at - 1;
        now += data[at] / 16 * 40;
        n = n < left ? n : left;
        decoder_feed(&d, (const char *)data + at + 1, n, now);
        at += n + 1;
        while (decoder_next(&d, now, &in)) {
            check(&in);
            assert(++inputs <= 16 * size + 16);
        }
    }
    for (int wait; (wait = decoder_wait_ms(&d, now)) >= 0;) {
        now += wait + 1;
        while (decoder_next(&d, now, &in))
            check(&in);
        assert(++inputs <= 32 * size + 64);
    }
    decoder_fini(&d);
    return 0;
}
