/* input.h - what a terminal sends, decoded: keys, pasted text, the mouse, a new size. */
#ifndef UI_KEYS_INPUT_H
#define UI_KEYS_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/str.h"

/* Keys are code points; below 0x20 control characters. Above Unicode: X(enum member, value, name). */
/* clang-format off */
#define NAMED_KEYS(X) \
    X(UP, 0x110001, "Up")            X(DOWN, 0x110002, "Down")        X(LEFT, 0x110003, "Left") \
    X(RIGHT, 0x110004, "Right")      X(HOME, 0x110005, "Home")        X(END, 0x110006, "End") \
    X(PGUP, 0x110007, "PgUp")        X(PGDN, 0x110008, "PgDn")        X(INSERT, 0x110009, "Ins") \
    X(DELETE, 0x11000a, "Del")       X(STAB, 0x11000b, "S-Tab")       X(F1, 0x110011, "F1") \
    X(F2, 0x110012, "F2")            X(F3, 0x110013, "F3")            X(F4, 0x110014, "F4") \
    X(F5, 0x110015, "F5")            X(F6, 0x110016, "F6")            X(F7, 0x110017, "F7") \
    X(F8, 0x110018, "F8")            X(F9, 0x110019, "F9")            X(F10, 0x11001a, "F10") \
    X(F11, 0x11001b, "F11")          X(F12, 0x11001c, "F12")          X(ENTER, '\r', "Enter") \
    X(TAB, '\t', "Tab")              X(ESC, 0x1b, "Esc")              X(BACKSPACE, 0x7f, "Backspace") \
    X(SPACE, ' ', "Space")
/* clang-format on */

enum named_key {
#define X(name, value, text) KEYNAME_##name = value,
    NAMED_KEYS(X)
#undef X
};

#define CTRL_KEY(c) ((uint32_t)(c)&0x1f)

enum input_kind { INPUT_KEY, INPUT_PASTE, INPUT_MOUSE, INPUT_RESIZE };
/* RIGHT: the right button is pressed. DRAG, RELEASE: of the left one; views do not get these three. */
enum mouse_what {
    MOUSE_CLICK,
    MOUSE_DOUBLE,
    MOUSE_WHEEL_UP,
    MOUSE_WHEEL_DOWN,
    MOUSE_RIGHT,
    MOUSE_DRAG,
    MOUSE_RELEASE
};

struct input {
    enum input_kind kind;
    uint32_t key;         /* INPUT_KEY */
    bool burst, more;     /* INPUT_KEY: it came at once with many others, a paste; more of them follow */
    const char *text;     /* INPUT_PASTE: valid during the call */
    enum mouse_what what; /* INPUT_MOUSE */
    int y, x;
};

static inline struct input input_key(uint32_t key)
{
    return (struct input){.kind = INPUT_KEY, .key = key};
}

/* "j", "Ctrl-L", "PgUp", "F5": appended to out. */
void key_format(uint32_t key, struct str *out);
/* The same back; "C-l" is "Ctrl-L" too. Returns 0 where text names no key. */
uint32_t key_parse(const char *text);
/* A character that an input line takes. */
bool key_is_text(uint32_t key);

#endif
