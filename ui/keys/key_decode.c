/* key_decode.c - turns the bytes of a terminal into inputs. */
#include "ui/keys/key_decode.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"

#define ALT_MS         20 /* a key so long after ESC was pressed by itself */
#define TAIL_MS        1000 /* "[A" at once, so soon after an ESC that was taken as a key, is the rest of it */
#define STRING_MS      2000 /* for all of an answer of the terminal */
#define BURST_MS       50   /* what comes so soon after a burst belongs to it ... */
#define BURST_REST     3    /* ... if it is this many characters */
#define BURST_KINDS    4    /* a key that is held down is not a burst */
#define DOUBLE_MS      400
#define PASTE_END      "\033[201~"
#define PASTE_END_SIZE (sizeof PASTE_END - 1)

void decoder_init(struct key_decoder *d)
{
    *d = (struct key_decoder){.bytes = STR_INIT, .paste = STR_INIT};
}

void decoder_fini(struct key_decoder *d)
{
    vec_fini(&d->known);
    str_fini(&d->bytes);
    str_fini(&d->paste);
}

void decoder_know(struct key_decoder *d, const char *bytes, uint32_t key)
{
    struct known_sequence k = {.key = key};
    size_t n = strlen(bytes);
    if (n < 2 || n >= sizeof k.bytes || bytes[0] != KEYNAME_ESC)
        return;
    memcpy(k.bytes, bytes, n + 1);
    vec_push(&d->known, k);
}

static void drop_bytes(struct key_decoder *d)
{
    str_clear(&d->bytes);
    d->at = 0;
    d->esc_alone = d->counted = false;
}

void decoder_drop(struct key_decoder *d)
{
    drop_bytes(d);
    str_clear(&d->paste);
    d->state = DECODE_PLAIN;
    d->in_burst = false;
    d->esc_at = d->burst_at = 0;
}

static const char *key_decode_head(const struct key_decoder *d)
{
    return d->bytes.s + d->at;
}

static size_t key_decode_left(const struct key_decoder *d)
{
    return d->bytes.len - d->at;
}

static void consume(struct key_decoder *d, size_t n)
{
    d->at += n;
    d->esc_alone = false;
    if (d->at == d->bytes.len)
        drop_bytes(d);
}

static const struct known_sequence *known_at_head(const struct key_decoder *d)
{
    vec_for_each (&d->known, i) {
        const struct known_sequence *k = &d->known.v[i];
        size_t len = strlen(k->bytes);
        if (len <= key_decode_left(d) && memcmp(k->bytes, key_decode_head(d), len) == 0)
            return k;
    }
    return NULL;
}

/* --- what came at once --- */

static bool begins_paste(const struct key_unit *u, const char *s)
{
    return u->kind == UNIT_CSI && !u->has_alt && unit_is(u, s, "200~");
}

static void count_texts(struct key_decoder *d)
{
    bool seen[128] = {false};
    d->texts = d->kinds = 0;
    for (size_t i = d->at; i < d->bytes.len;) {
        struct key_unit u = unit_measure(d->bytes.s + i, d->bytes.len - i, d->to_char);
        if (u.kind == UNIT_PART || u.kind == UNIT_STRING || begins_paste(&u, d->bytes.s + i))
            break;
        if (u.kind == UNIT_CHAR) {
            d->texts++;
            d->kinds += !seen[u.key % 128];
            seen[u.key % 128] = true;
        }
        i += u.len;
    }
    d->counted = true;
    d->in_burst &= d->texts >= BURST_REST;
    if (d->texts >= DECODE_BURST && d->kinds >= BURST_KINDS)
        d->in_burst = true;
    if (d->in_burst)
        d->burst_at = d->fed;
}

/* The first ones of a paste without brackets, and a line's end within it, are not keys yet. */
static bool is_held(const struct key_decoder *d, int64_t now)
{
    if (!d->counted || now - d->fed >= DECODE_HOLD_MS)
        return false;
    return d->in_burst ? key_decode_left(d) == 1 && *key_decode_head(d) == KEYNAME_ENTER
                       : d->texts > 1 && d->texts < DECODE_BURST && d->kinds > 1;
}

void decoder_feed(struct key_decoder *d, const char *bytes, size_t n, int64_t now)
{
    if (!n)
        return;
    if (key_decode_left(d) == 1 && *key_decode_head(d) == KEYNAME_ESC && now - d->fed >= ALT_MS)
        d->esc_alone = true;
    if (!key_decode_left(d))
        d->in_burst = d->burst_at && now - d->burst_at < BURST_MS;
    str_append_n(&d->bytes, bytes, n);
    d->fed = now;
    d->counted = false;
}

/* --- pastes --- */

static bool is_paste_text(uint32_t cp)
{
    return cp == '\n' || cp == '\r' || cp == '\t' || (cp >= 0x20 && cp < 0x7f) || cp >= 0xa0;
}

static void key_decode_add_text(struct str *out, const struct key_decoder *d, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t cp = 0;
        char b[4];
        size_t len = d->to_char ? d->to_char(s + i, n - i, &cp) : utf8_decode(s + i, n - i, &cp);
        if (len && is_paste_text(cp))
            str_append_n(out, b, utf8_encode(cp, b));
        i += len ? len : 1;
    }
}

static void collect_paste(struct key_decoder *d, size_t n)
{
    size_t room = DECODE_PASTE_MAX - d->paste.len;
    str_append_n(&d->paste, key_decode_head(d), n < room ? n : room);
    consume(d, n);
}

static void end_paste(struct key_decoder *d, struct input *in)
{
    struct str raw = d->paste;
    str_init(&d->paste);
    key_decode_add_text(&d->paste, d, raw.s, raw.len);
    str_fini(&raw);
    d->state = DECODE_PLAIN;
    d->counted = false;
    *in = (struct input){.kind = INPUT_PASTE, .text = d->paste.s};
}

/* How much of the head cannot be the beginning of the mark. */
static size_t before_mark(const struct key_decoder *d)
{
    size_t n = key_decode_left(d), keep = n < PASTE_END_SIZE ? n : PASTE_END_SIZE - 1;
    while (keep && memcmp(key_decode_head(d) + n - keep, PASTE_END, keep) != 0)
        keep--;
    return n - keep;
}

static bool next_of_paste(struct key_decoder *d, int64_t now, struct input *in)
{
    const char *mark = memmem(key_decode_head(d), key_decode_left(d), PASTE_END, PASTE_END_SIZE);
    collect_paste(d, mark ? (size_t)(mark - key_decode_head(d)) : before_mark(d));
    if (mark)
        consume(d, PASTE_END_SIZE);
    else if (now - d->fed < DECODE_PASTE_MS)
        return false;
    else
        consume(d, key_decode_left(d)); /* a piece of the mark */
    end_paste(d, in);
    return true;
}

/* --- answers of the terminal --- */

static bool end_string(struct key_decoder *d)
{
    d->state = DECODE_PLAIN;
    d->counted = false;
    return true;
}

/* Skips up to the end of a string: ST, for an OSC BEL too. The ST of eight bits is not looked for, it may
 * be a part of a character. Returns false where the end has not come yet. */
static bool key_decode_skip_string(struct key_decoder *d, int64_t now)
{
    if (now - d->fed >= DECODE_SEQ_MS)
        drop_bytes(d);
    if (now - d->fed >= DECODE_SEQ_MS || now - d->string_at >= STRING_MS)
        return end_string(d);
    while (key_decode_left(d)) {
        char c = *key_decode_head(d);
        if (c == KEYNAME_ESC && key_decode_left(d) == 1)
            return false;
        if (c == KEYNAME_ESC && key_decode_head(d)[1] != '\\') /* cut off by another sequence */
            return end_string(d);
        consume(d, c == KEYNAME_ESC ? 2 : 1);
        if (c == KEYNAME_ESC || (c == '\a' && d->is_osc) || c == CTRL_KEY('x') || c == CTRL_KEY('z'))
            return end_string(d);
    }
    return false;
}

/* --- the mouse --- */

enum { MOUSE_BUTTON_RIGHT = 2, MOUSE_MORE_BITS = 4 + 8 + 16, MOUSE_MOVES = 32, MOUSE_WHEEL = 64 };

static bool press(struct key_decoder *d, int64_t now, unsigned button, int y, int x, struct input *in)
{
    *in = (struct input){.kind = INPUT_MOUSE, .y = y, .x = x};
    button &= ~(unsigned)MOUSE_MORE_BITS; /* Shift and the like */
    if (button == MOUSE_WHEEL || button == MOUSE_WHEEL + 1) {
        in->what = button == MOUSE_WHEEL ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN;
        return true;
    }
    if (button == MOUSE_BUTTON_RIGHT || button == MOUSE_MOVES) {
        in->what = button == MOUSE_MOVES ? MOUSE_DRAG : MOUSE_RIGHT;
        return true;
    }
    if (button != 0)
        return false;
    bool again = d->pressed_at && now - d->pressed_at < DOUBLE_MS && d->pressed_y == y && d->pressed_x == x;
    in->what = again ? MOUSE_DOUBLE : MOUSE_CLICK;
    d->pressed_at = again ? 0 : now;
    d->pressed_y = y;
    d->pressed_x = x;
    return true;
}

/* ESC [ < button ; column ; row M, or m where it is let go. */
static bool new_mouse(struct key_decoder *d, int64_t now, const char *s, size_t n, struct input *in)
{
    unsigned v[3] = {0};
    size_t k = 0, i = 1;
    for (; i + 1 < n; i++) {
        if (s[i] == ';' && k < 2)
            k++;
        else if (s[i] >= '0' && s[i] <= '9' && v[k] < 100000)
            v[k] = v[k] * 10 + (unsigned)(s[i] - '0');
        else
            return false;
    }
    if (k != 2 || !v[1] || !v[2])
        return false;
    if (s[i] == 'm' && (v[0] & ~(unsigned)MOUSE_MORE_BITS) == 0) {
        *in = (struct input){
            .kind = INPUT_MOUSE, .what = MOUSE_RELEASE, .y = (int)v[2] - 1, .x = (int)v[1] - 1};
        return true;
    }
    return s[i] == 'M' && press(d, now, v[0], (int)v[2] - 1, (int)v[1] - 1, in);
}

/* ESC [ M and three bytes. */
static bool old_mouse(struct key_decoder *d, int64_t now, const char *s, struct input *in)
{
    const unsigned char *b = (const unsigned char *)s;
    return b[1] >= 32 && b[2] > 32 && b[3] > 32 && press(d, now, b[1] - 32u, b[3] - 33, b[2] - 33, in);
}

/* --- keys --- */

static bool give_key(struct key_decoder *d, size_t len, uint32_t key, struct input *in)
{
    bool burst = d->in_burst;
    consume(d, len);
    d->esc_at = 0;
    *in = input_key(key);
    in->burst = burst;
    in->more = burst && key_decode_left(d);
    return true;
}

/* Returns false where it means nothing; it is consumed in any case. */
static bool take_sequence(struct key_decoder *d, const struct key_unit *u, int64_t now, struct input *in)
{
    const char *s = key_decode_head(d), *body = s + u->body;
    size_t n = u->len - u->body;
    uint32_t key = unit_key(u, s);
    bool told = false, plain = u->kind == UNIT_CSI && !u->has_alt, paste = begins_paste(u, s);
    if (key)
        return give_key(d, u->len, key, in);
    if (paste) {
        d->state = DECODE_PASTE;
        str_clear(&d->paste);
    } else if (plain && n > 1 && *body == '<')
        told = new_mouse(d, now, body, n, in);
    else if (plain && n == 4 && *body == 'M')
        told = old_mouse(d, now, body, in);
    consume(d, u->len);
    return told;
}

/* ESC, once or twice, and nothing more. */
static bool is_bare_esc(const struct key_decoder *d)
{
    return *key_decode_head(d) == KEYNAME_ESC &&
           (key_decode_left(d) == 1 || (key_decode_left(d) == 2 && key_decode_head(d)[1] == KEYNAME_ESC));
}

/* What stands at the head has no end, and none will come. */
static bool key_decode_give_up(struct key_decoder *d, int64_t now, struct input *in)
{
    if (!is_bare_esc(d)) {
        consume(d, key_decode_left(d));
        return false;
    }
    give_key(d, 1, KEYNAME_ESC, in);
    d->esc_at = now;
    return true;
}

/* "[A" at once where a moment ago ESC alone was taken as the key: the line was slow in between. */
static bool is_tail(const struct key_decoder *d, struct key_unit *u)
{
    if (!d->esc_at || d->fed - d->esc_at > TAIL_MS || key_decode_left(d) < 2 ||
        !strchr("[O", *key_decode_head(d)))
        return false;
    char whole[32] = {KEYNAME_ESC};
    size_t n = key_decode_left(d) < sizeof whole - 1 ? key_decode_left(d) : sizeof whole - 1;
    memcpy(whole + 1, key_decode_head(d), n);
    *u = unit_measure(whole, n + 1, d->to_char);
    if (u->kind != UNIT_CSI && u->kind != UNIT_SS3)
        return false;
    u->len--;
    u->body--;
    return true;
}

static int64_t key_decode_patience_ms(const struct key_decoder *d)
{
    return is_bare_esc(d) ? DECODE_ESC_MS : DECODE_SEQ_MS;
}

static bool give_char(struct key_decoder *d, const struct key_unit *u, struct input *in)
{
    return give_key(d, u->len,
                    u->key == '\n'   ? KEYNAME_ENTER
                    : u->key == '\b' ? KEYNAME_BACKSPACE
                                     : u->key,
                    in);
}

/* The unit at the head: returns whether it is an input. *ret_wait: more bytes are needed to tell. */
static bool next_unit(struct key_decoder *d, int64_t now, struct input *in, bool *ret_wait)
{
    const struct known_sequence *k = known_at_head(d);
    struct key_unit u;
    if (k)
        return give_key(d, strlen(k->bytes), k->key, in);
    if (!is_tail(d, &u))
        u = unit_measure(key_decode_head(d), key_decode_left(d), d->to_char);
    switch (u.kind) {
    case UNIT_PART:
        *ret_wait = now - d->fed < key_decode_patience_ms(d);
        return !*ret_wait && key_decode_give_up(d, now, in);
    case UNIT_CHAR: return give_char(d, &u, in);
    case UNIT_ESC: return give_key(d, 1, KEYNAME_ESC, in);
    case UNIT_ALT:
        if (d->esc_alone)
            return give_key(d, 1, KEYNAME_ESC, in);
        break;
    case UNIT_CSI:
    case UNIT_SS3: return take_sequence(d, &u, now, in);
    case UNIT_STRING:
        d->state = DECODE_STRING;
        d->is_osc = u.is_osc;
        d->string_at = d->fed;
        break;
    case UNIT_JUNK: break;
    }
    consume(d, u.len);
    return false;
}

bool decoder_next(struct key_decoder *d, int64_t now, struct input *in)
{
    for (;;) {
        if (d->state == DECODE_PASTE)
            return next_of_paste(d, now, in);
        if (d->state == DECODE_STRING && !key_decode_skip_string(d, now))
            return false;
        if (!key_decode_left(d))
            return false;
        if (!d->counted)
            count_texts(d);
        bool wait = false;
        if (is_held(d, now))
            return false;
        if (next_unit(d, now, in, &wait))
            return true;
        if (wait)
            return false;
    }
}

/* The unit at the head may still grow. After a hold whole ones stand there: they are to be taken now. */
static bool is_part(const struct key_decoder *d)
{
    return unit_measure(key_decode_head(d), key_decode_left(d), d->to_char).kind == UNIT_PART;
}

int decoder_wait_ms(const struct key_decoder *d, int64_t now)
{
    int64_t ms = d->state == DECODE_PASTE    ? DECODE_PASTE_MS
                 : d->state == DECODE_STRING ? DECODE_SEQ_MS
                 : !key_decode_left(d)       ? -1
                 : is_held(d, now)           ? DECODE_HOLD_MS
                 : is_part(d)                ? key_decode_patience_ms(d)
                                             : 0;
    if (ms < 0)
        return -1;
    ms -= now - d->fed;
    return ms < 0 ? 0 : (int)ms;
}
