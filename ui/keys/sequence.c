/* sequence.c - the grammar of what terminals send (ECMA-48, and what the Linux console, rxvt and the old
 * mouse do beside it). */
#include "ui/keys/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "ui/keys/input.h"

#define OLD_MOUSE_BYTES 3 /* behind ESC [ M */

static const struct key_unit part = {.kind = UNIT_PART};

static struct key_unit junk(size_t len)
{
    return (struct key_unit){.kind = UNIT_JUNK, .len = len};
}

/* Behind ESC [: parameters and what is between, then one final byte. */
static struct key_unit measure_csi(const char *s, size_t n, size_t body)
{
    size_t i = body;
    if (i < n && s[i] == '[') /* F1 to F5 of the Linux console */
        return i + 1 < n ? (struct key_unit){.kind = UNIT_CSI, .len = i + 2, .body = body} : part;
    while (i < n && s[i] >= 0x20 && s[i] <= 0x3f)
        i++;
    if (i == n)
        return part;
    unsigned char end = (unsigned char)s[i];
    if (end < 0x20 || end > 0x7e) /* cut off: an ESC begins another one */
        return junk(end == KEYNAME_ESC ? i : i + 1);
    if (end != 'M' || i > body)
        return (struct key_unit){.kind = UNIT_CSI, .len = i + 1, .body = body};
    i += 1 + OLD_MOUSE_BYTES;
    return i > n ? part : (struct key_unit){.kind = UNIT_CSI, .len = i, .body = body};
}

/* Behind ESC O: one byte; some terminals put a modifier before it. */
static struct key_unit measure_ss3(const char *s, size_t n, size_t body)
{
    size_t i = body;
    while (i < n && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';'))
        i++;
    if (i == n)
        return part;
    unsigned char end = (unsigned char)s[i];
    if (end < 0x20 || end > 0x7e)
        return junk(end == KEYNAME_ESC ? i : i + 1);
    return (struct key_unit){.kind = UNIT_SS3, .len = i + 1, .body = body};
}

/* What the byte behind ESC, or the control character of eight bits that is the same, begins at `body`. */
static struct key_unit measure_begun(unsigned char by, const char *s, size_t n, size_t body)
{
    switch (by) {
    case '[': return measure_csi(s, n, body);
    case 'O': return measure_ss3(s, n, body);
    case ']': return (struct key_unit){.kind = UNIT_STRING, .len = body, .is_osc = true};
    case 'P':
    case 'X':
    case '^':
    case '_': return (struct key_unit){.kind = UNIT_STRING, .len = body};
    default: return junk(body);
    }
}

/* The length that the first byte of a character promises, where all that has come of it is right. */
static bool is_cut_char(const char *s, size_t n)
{
    unsigned char c = (unsigned char)s[0];
    size_t want = c >= 0xf0 && c <= 0xf4 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 0;
    if (n >= want)
        return false;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return false;
    return true;
}

static struct key_unit measure_char(const char *s, size_t n, decode_char_fn *to_char)
{
    uint32_t cp = 0;
    unsigned char c = (unsigned char)s[0];
    size_t len = to_char ? to_char(s, n, &cp) : utf8_decode(s, n, &cp);
    if (!len && c >= 0x80 && c < 0xa0)
        return measure_begun((unsigned char)(c - 0x40), s, n, 1);
    if (!len)
        return !to_char && is_cut_char(s, n) ? part : junk(1);
    if (cp >= 0x80 && cp < 0xa0)
        return measure_begun((unsigned char)(cp - 0x40), s, n, len);
    return cp ? (struct key_unit){.kind = UNIT_CHAR, .len = len, .key = cp} : junk(len);
}

/* ESC ESC [ ...: Alt with a key, as rxvt has it. */
static struct key_unit measure_two_escs(const char *s, size_t n)
{
    if (n == 2)
        return part;
    if (s[2] != '[' && s[2] != 'O')
        return (struct key_unit){.kind = UNIT_ESC, .len = 1};
    struct key_unit u = measure_begun((unsigned char)s[2], s, n, 3);
    u.has_alt = true;
    return u;
}

struct key_unit unit_measure(const char *s, size_t n, decode_char_fn *to_char)
{
    if (s[0] != KEYNAME_ESC)
        return measure_char(s, n, to_char);
    if (n == 1)
        return part;
    if (s[1] == KEYNAME_ESC)
        return measure_two_escs(s, n);
    if (strchr("[O]PX^_", s[1]) && s[1])
        return measure_begun((unsigned char)s[1], s, n, 2);
    struct key_unit u = measure_char(s + 1, n - 1, to_char);
    if (u.kind != UNIT_PART)
        u = (struct key_unit){.kind = UNIT_ALT, .len = u.len + 1};
    return u;
}

bool unit_is(const struct key_unit *u, const char *s, const char *body)
{
    size_t n = strlen(body);
    return u->len - u->body == n && memcmp(s + u->body, body, n) == 0;
}

/* ESC [ n ~ */
static uint32_t numbered_key(const char *s, size_t n)
{
    static const uint32_t keys[] = {
        [1] = KEYNAME_HOME, [2] = KEYNAME_INSERT, [3] = KEYNAME_DELETE, [4] = KEYNAME_END,
        [5] = KEYNAME_PGUP, [6] = KEYNAME_PGDN,   [7] = KEYNAME_HOME,   [8] = KEYNAME_END,
        [11] = KEYNAME_F1,  [12] = KEYNAME_F2,    [13] = KEYNAME_F3,    [14] = KEYNAME_F4,
        [15] = KEYNAME_F5,  [17] = KEYNAME_F6,    [18] = KEYNAME_F7,    [19] = KEYNAME_F8,
        [20] = KEYNAME_F9,  [21] = KEYNAME_F10,   [23] = KEYNAME_F11,   [24] = KEYNAME_F12,
    };
    size_t number = 0;
    if (n < 2 || n > 3)
        return 0;
    for (size_t i = 0; i + 1 < n; i++) {
        if (s[i] < '0' || s[i] > '9')
            return 0;
        number = number * 10 + (size_t)(s[i] - '0');
    }
    return number < sizeof keys / sizeof keys[0] ? keys[number] : 0;
}

uint32_t unit_key(const struct key_unit *u, const char *s)
{
    static const struct {
        char end;
        uint32_t key;
    } keys[] = {
        {'A', KEYNAME_UP},   {'B', KEYNAME_DOWN}, {'C', KEYNAME_RIGHT}, {'D', KEYNAME_LEFT},
        {'H', KEYNAME_HOME}, {'F', KEYNAME_END},  {'P', KEYNAME_F1},    {'Q', KEYNAME_F2},
        {'R', KEYNAME_F3},   {'S', KEYNAME_F4},   {'Z', KEYNAME_STAB},
    };
    size_t n = u->len - u->body;
    s += u->body;
    if (u->has_alt)
        return 0;
    if (u->kind == UNIT_SS3 && n == 1 && *s == 'M')
        return KEYNAME_ENTER; /* of the keypad */
    if (u->kind == UNIT_CSI && n == 2 && s[0] == '[')
        return s[1] >= 'A' && s[1] <= 'E' ? KEYNAME_F1 + (uint32_t)(s[1] - 'A') : 0;
    if (u->kind == UNIT_CSI && s[n - 1] == '~')
        return numbered_key(s, n);
    for (size_t i = 0; n == 1 && i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].end == *s)
            return keys[i].key;
    return 0;
}
