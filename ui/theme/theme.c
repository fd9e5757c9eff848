/* theme.c - the look of each role. */
#include "ui/theme/theme.h"

#include <errno.h>
#include <libconfig.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"

static const char *const color_names[16] = {
    "black",        "red",           "green",       "yellow",         "blue",
    "magenta",      "cyan",          "white",       "bright_black",   "bright_red",
    "bright_green", "bright_yellow", "bright_blue", "bright_magenta", "bright_cyan",
    "bright_white",
};

static const struct {
    const char *name;
    uint8_t attr;
} attr_names[] = {
    {.name = "bold", .attr = STYLE_BOLD},
    {.name = "dim", .attr = STYLE_DIM},
    {.name = "underline", .attr = STYLE_UNDERLINE},
    {.name = "reverse", .attr = STYLE_REVERSE},
};

#define N_ATTRS (sizeof attr_names / sizeof attr_names[0])

const char *role_name(enum role r)
{
    static const char *const names[ROLE_N] = {
#define X(name, text, look, mono) [ROLE_##name] = text,
        ROLES(X)
#undef X
    };
    bug_on((unsigned)r >= ROLE_N);
    return names[r];
}

static int find_color(const char *word)
{
    for (int i = 0; i < 16; i++)
        if (str_eq(word, color_names[i]))
            return i;
    return -1;
}

static uint8_t find_attr(const char *word)
{
    for (size_t i = 0; i < N_ATTRS; i++)
        if (str_eq(word, attr_names[i].name))
            return attr_names[i].attr;
    return 0;
}

/* A name of the sixteen or #rrggbb; 0: neither. */
static uint32_t parse_color(const char *word)
{
    int named = find_color(word);
    if (named >= 0)
        return (uint32_t)named + 1;
    if (word[0] != '#' || strlen(word) != 7 || strspn(word + 1, "0123456789abcdefABCDEF") != 6)
        return 0;
    return COLOR_RGB | (uint32_t)strtoul(word + 1, NULL, 16);
}

/* "bold reverse red on black", any order of attributes, "" for the plain look. Errors: -EINVAL. */
static int parse_look(const char *text, struct style *ret, struct errtext *err)
{
    struct style s = {0};
    struct strv words = strv_split(text, " ");
    bool background = false;
    int rc = 0;
    for (size_t i = 0; i < words.n && !rc; i++) {
        const char *w = words.v[i];
        uint32_t color = parse_color(w);
        if (str_eq(w, "on") && !background && i + 1 < words.n)
            background = true;
        else if (color && background)
            s.bg = color;
        else if (color)
            s.fg = color;
        else if (find_attr(w) && !background)
            s.attr |= find_attr(w);
        else
            rc = err_set(err, -EINVAL, tr("\"%s\": '%s' is neither a colour nor an attribute"), text, w);
    }
    strv_fini(&words);
    if (!rc)
        *ret = s;
    return rc;
}

/* "RICH | PLAIN" or one look for all: *ret is the one for that many colours. */
static int parse_style(const char *text, int colors, struct style *ret, struct errtext *err)
{
    const char *bar = strchr(text, '|');
    if (!bar)
        return parse_look(text, ret, err);
    char *rich = xstrndup(text, (size_t)(bar - text));
    struct style looks[2];
    int rc = parse_look(rich, &looks[0], err);
    if (!rc)
        rc = parse_look(bar + 1, &looks[1], err);
    free(rich);
    if (!rc)
        *ret = looks[colors < 256];
    return rc;
}

static void format_color(uint32_t color, const char *before, struct str *out)
{
    if (color & COLOR_RGB)
        str_appendf(out, "%s#%06x ", before, color & 0xffffff);
    else if (color > 16)
        str_appendf(out, "%scolour%u ", before, color - 1);
    else if (color)
        str_appendf(out, "%s%s ", before, color_names[color - 1]);
}

void style_format(struct style s, struct str *out)
{
    size_t start = out->len;
    for (size_t i = 0; i < N_ATTRS; i++)
        if (s.attr & attr_names[i].attr)
            str_appendf(out, "%s ", attr_names[i].name);
    format_color(s.fg, "", out);
    format_color(s.bg, "on ", out);
    if (out->len > start)
        str_truncate(out, out->len - 1);
}

void theme_init(struct theme *t, int colors)
{
    static const char *const looks[ROLE_N] = {
#define X(name, text, look, mono) [ROLE_##name] = look,
        ROLES(X)
#undef X
    };
    static const char *const monos[ROLE_N] = {
#define X(name, text, look, mono) [ROLE_##name] = mono,
        ROLES(X)
#undef X
    };
    *t = (struct theme){.colors = colors >= COLORS_TRUE ? COLORS_TRUE
                                  : colors >= 256       ? 256
                                  : colors >= 16        ? 16
                                  : colors >= 8         ? 8
                                                        : 0};
    for (int r = 0; r < ROLE_N; r++) {
        int rc = parse_style(t->colors ? looks[r] : monos[r], t->colors, &t->styles[r], NULL);
        bug_on(rc);
    }
}

static int find_role(const char *name)
{
    for (int r = 0; r < ROLE_N; r++)
        if (str_eq(name, role_name((enum role)r)))
            return r;
    return -1;
}

static int load_roles(struct theme *t, const char *path, const config_setting_t *roles, struct errtext *err)
{
    for (int i = 0; i < config_setting_length(roles); i++) {
        const config_setting_t *e = config_setting_get_elem(roles, (unsigned)i);
        const char *name = config_setting_name(e), *text = config_setting_get_string(e);
        int line = (int)config_setting_source_line(e), r = find_role(name);
        if (r < 0)
            return err_set(err, -EINVAL, tr("%s:%d: there is no role '%s'"), path, line, name);
        if (!text)
            return err_set(err, -EINVAL, tr("%s:%d: %s must be a string such as \"bold green\""), path,
                           line, name);
        int rc = parse_style(text, t->colors, &t->styles[r], err);
        if (rc)
            return err_prefix(err, rc, "%s:%d", path, line);
    }
    return 0;
}

int theme_load(struct theme *t, const char *path, struct errtext *err)
{
    if (!t->colors)
        return 0;
    if (access(path, R_OK) != 0)
        return err_set(err, -errno, "%s: %s", path, strerror(errno));
    config_t cfg;
    config_init(&cfg);
    struct theme loaded = *t;
    int rc = 0;
    const config_setting_t *roles;
    if (config_read_file(&cfg, path) != CONFIG_TRUE)
        rc = err_set(err, -EINVAL, "%s:%d: %s", path, config_error_line(&cfg), config_error_text(&cfg));
    else if (!(roles = config_lookup(&cfg, "roles")) || !config_setting_is_group(roles))
        rc = err_set(err, -EINVAL, tr("%s: there is no group 'roles'"), path);
    else
        rc = load_roles(&loaded, path, roles, err);
    config_destroy(&cfg);
    if (!rc)
        *t = loaded;
    return rc;
}

/* Eight colours: a bright one becomes its plain one in bold, but for bright black, which would be black on
 * black. */
static struct style limit_to_8(struct style s)
{
    if (s.fg == 9) {
        s.fg = 0;
        s.attr |= STYLE_DIM;
    } else if (s.fg > 9) {
        s.fg -= 8;
        s.attr |= STYLE_BOLD;
    }
    if (s.bg >= 9)
        s.bg = s.bg == 9 ? 0 : s.bg - 8;
    return s;
}

static struct style limit_colors(struct style s, int colors)
{
    s.fg = colors ? color_limit(s.fg, colors) : 0;
    s.bg = colors ? color_limit(s.bg, colors) : 0;
    return colors == 8 ? limit_to_8(s) : s;
}

/* What is laid over with a background alone leaves the text its own colour. */
static struct style lay_over(struct style s, struct style o)
{
    if (o.fg || (o.attr & STYLE_REVERSE))
        return (struct style){.fg = o.fg, .bg = o.bg, .attr = (uint8_t)(o.attr | (s.attr & STYLE_BOLD))};
    s.bg = o.bg ? o.bg : s.bg;
    s.attr |= o.attr;
    return s;
}

struct style theme_style(const struct theme *t, enum role role, enum role over)
{
    struct style s = t->styles[role];
    return limit_colors(over != ROLE_NORMAL ? lay_over(s, t->styles[over]) : s, t->colors);
}

struct style theme_ink(const struct theme *t, enum role role, enum role over, struct style ink)
{
    struct style s = t->styles[role];
    if (over != ROLE_NORMAL)
        return theme_style(t, role, over);
    s.attr |= ink.attr;
    s.fg = ink.fg ? ink.fg : s.fg;
    s.bg = ink.bg ? ink.bg : s.bg;
    return limit_colors(s, t->colors);
}

#define MIXABLE 256 /* colours that a terminal needs to show shades of one */

uint32_t theme_paler(const struct theme *t, enum role role, int pale)
{
    uint32_t fg = t->colors ? t->styles[role].fg : 0, track = t->styles[ROLE_BAR_FREE].fg;
    if (pale && fg && track && t->colors >= MIXABLE)
        fg = color_mix(fg, track, 100 - pale);
    return color_limit(fg, t->colors);
}

struct style theme_filled(const struct theme *t, enum role role, enum role fill, int pale, bool *ret_filled)
{
    struct style s = t->styles[role];
    uint32_t bg = !pale || t->colors >= MIXABLE ? theme_paler(t, fill, pale) : 0;
    *ret_filled = bg != 0;
    if (role == fill && bg)
        s = (struct style){0};
    s.bg = bg;
    return limit_colors(s, t->colors);
}
