/* key_decode.h - turns the bytes of a terminal into inputs. It knows no terminal and no clock: bytes and
 * times are handed in.
 *
 * Escape sequences are read whole, also when they arrive in pieces: cursor and function keys in both forms
 * (ESC [ and ESC O), the mouse, bracketed pastes, and the answers that a terminal gives (OSC, DCS ...). A
 * sequence that means no key here is dropped as a whole; its letters never become keys. The same holds for
 * Alt with a key, for bytes that are not a character, and for everything within a paste.
 */
#ifndef UI_KEYS_KEY_DECODE_H
#define UI_KEYS_KEY_DECODE_H

#include "src/base/str.h"
#include "src/base/vec.h"
#include "ui/keys/input.h"
#include "ui/keys/sequence.h"

#define DECODE_ESC_MS    100  /* ESC alone for so long is the key Esc */
#define DECODE_SEQ_MS    500  /* a sequence without its end for so long is dropped */
#define DECODE_PASTE_MS  1000 /* a paste to which nothing was added for so long has ended */
#define DECODE_HOLD_MS   8    /* a few characters at once may be the beginning of more */
#define DECODE_BURST     8    /* this many at once are a paste without brackets */
#define DECODE_PASTE_MAX ((size_t)1024 * 1024)

struct known_sequence {
    char bytes[16];
    uint32_t key;
};

enum decode_state { DECODE_PLAIN, DECODE_STRING, DECODE_PASTE };

struct key_decoder {
    decode_char_fn *to_char; /* of another character set than UTF-8; NULL: UTF-8 */
    VEC(struct known_sequence) known;
    struct str bytes; /* from `at` on they have not become inputs yet */
    size_t at;
    struct str paste;
    enum decode_state state;
    bool is_osc;            /* DECODE_STRING: BEL ends it too */
    int64_t fed, string_at; /* ms: when bytes came last; when the string began */
    int64_t esc_at;         /* when an ESC that nothing followed was taken as a key; 0: not of late */
    bool esc_alone;         /* what follows the ESC at the head came clearly later */
    bool counted;           /* `texts` and `kinds` are those of the bytes */
    size_t texts, kinds;    /* characters among the bytes, and different ones */
    bool in_burst;          /* they came at once */
    int64_t burst_at;       /* when the last bytes of a burst came; 0: never */
    int64_t pressed_at;     /* of the mouse, for double clicks; 0: not of late */
    int pressed_y, pressed_x;
};

void decoder_init(struct key_decoder *d);
void decoder_fini(struct key_decoder *d);
/* This terminal sends bytes for key. What does not begin with ESC, or is too long, is left out. */
void decoder_know(struct key_decoder *d, const char *bytes, uint32_t key);
/* Forgets what has not become an input yet. */
void decoder_drop(struct key_decoder *d);

/* Bytes have come; now: in ms, of a clock that only goes forward and is above 0. */
void decoder_feed(struct key_decoder *d, const char *bytes, size_t n, int64_t now);
/* The next input; false: there is none yet. in->text is valid until the next call. */
bool decoder_next(struct key_decoder *d, int64_t now, struct input *in);
/* After which time decoder_next may give more though no byte comes; -1: never. */
int decoder_wait_ms(const struct key_decoder *d, int64_t now);

#endif
