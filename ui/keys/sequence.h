/* sequence.h - where the character or the escape sequence at the head of some bytes ends, and which key it
 * is. */
#ifndef UI_KEYS_SEQUENCE_H
#define UI_KEYS_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One character of s, as utf8_decode: its length in bytes, 0 where it is none. */
typedef size_t decode_char_fn(const char *s, size_t n, uint32_t *ret_cp);

enum unit_kind {
    UNIT_PART, /* its end has not come yet */
    UNIT_JUNK, /* means nothing: to be dropped */
    UNIT_CHAR, /* key is a character or a control character */
    UNIT_ESC,  /* ESC that begins nothing: the key */
    UNIT_ALT,  /* ESC and a character: Alt with it, or two keys */
    UNIT_CSI,  /* ESC [ ..., or ESC O ... for UNIT_SS3 */
    UNIT_SS3,
    UNIT_STRING, /* the beginning of OSC, DCS, SOS, PM or APC, which is ended by ST */
};

struct key_unit {
    enum unit_kind kind;
    size_t len;   /* bytes */
    size_t body;  /* UNIT_CSI, UNIT_SS3: where what stands behind the introducer begins */
    uint32_t key; /* UNIT_CHAR */
    bool is_osc;  /* UNIT_STRING */
    bool has_alt; /* ESC stands before it: Alt with that key */
};

/* n > 0. to_char NULL: UTF-8. */
struct key_unit unit_measure(const char *s, size_t n, decode_char_fn *to_char);
/* The key that terminals in general send as such a sequence; 0: none. */
uint32_t unit_key(const struct key_unit *u, const char *s);
/* Is the body of the sequence this text? */
bool unit_is(const struct key_unit *u, const char *s, const char *body);

#endif
