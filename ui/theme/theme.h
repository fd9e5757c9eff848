/* theme.h - the look of each role: built in, from a theme file, and cut down to what a terminal can show.
 */
#ifndef UI_THEME_THEME_H
#define UI_THEME_THEME_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/err.h"
#include "src/base/str.h"
#include "ui/theme/color.h"
#include "ui/theme/roles.h"

#define STYLE_BOLD      1u
#define STYLE_DIM       2u
#define STYLE_UNDERLINE 4u
#define STYLE_REVERSE   8u

/* The look of a role, or what a program gives its own output on top of that: its ink. */
struct style {
    uint32_t fg, bg;   /* colours as ui/theme/color.h has them; 0: the terminal's own */
    uint8_t attr;      /* STYLE_* */
    uint8_t unused[3]; /* styles are compared byte by byte */
};

struct theme {
    struct style styles[ROLE_N]; /* as for terminals of that many colours, not yet cut down to them */
    int colors;                  /* of the terminal: 0 (none), 8, 16, 256 or COLORS_TRUE */
};

/* The built-in looks; colors < 8: those without colours. */
void theme_init(struct theme *t, int colors);

/* Reads a theme file over the built-in looks:
 *
 *     roles = { running = "bold #7fc97f | bold green"; cursor = "black on cyan"; };
 *
 * Roles that it does not name keep the built-in look. Errors: -ENOENT, -EINVAL with file and line; *t is
 * untouched then. A terminal without colours gets the looks without colours: no-op. */
int theme_load(struct theme *t, const char *path, struct errtext *err) __attribute__((warn_unused_result));

/* The same text back, in one fixed order. */
void style_format(struct style s, struct str *out);

/* The look of a cell of that role under an overlay (ROLE_NORMAL: none), as a terminal with that many
 * colours can show it: an overlay that has a text colour or reverses replaces the role's look, any other
 * adds to it. */
struct style theme_style(const struct theme *t, enum role role, enum role over);

/* The same with ink, where nothing is laid over it: a match and the cursor keep their own look. */
struct style theme_ink(const struct theme *t, enum role role, enum role over, struct style ink);

/* The look of a cell of a bar: its background is the text colour of fill, with pale percent of the
 * colour of the track in it. *ret_filled: there is one; else a character must say what is filled. */
struct style theme_filled(const struct theme *t, enum role role, enum role fill, int pale,
                          bool *ret_filled);

/* The text colour of a role with pale percent of the colour of the track in it; 0: the terminal's own.
 * Few colours cannot be mixed: it is the role's then. */
uint32_t theme_paler(const struct theme *t, enum role role, int pale);

const char *role_name(enum role r);

#endif
