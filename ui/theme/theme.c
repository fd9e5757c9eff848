/* theme.c - the look of each role. */
#include "ui/theme/theme.h"

#include <errno.h>
#include <libconfig.h>
#include <string.h>
#include <unistd.h>

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

/* "bold reverse red on black", any order of attributes, "" for the plain look. Errors: -EINVAL. */
static int parse_style(const char *text, struct style *ret, struct errtext *err)
{
    struct style s = {.fg = -1, .bg = -1};
    struct strv words = strv_split(text, " ");
    bool background = false;
    int rc = 0;
    for (size_t i = 0; i < words.n && !rc; i++) {
        const char *w = words.v[i];
        int color = find_color(w);
        if (str_eq(w, "on") && !background && i + 1 < words.n)
            background = true;
        else if (color >= 0 && background)
            s.bg = (int8_t)color;
        else if (color >= 0)
            s.fg = (int8_t)color;
        else if (find_attr(w) && !background)
            s.attr |= find_attr(w);
        else
            rc = err_set(err, -EINVAL, "\"%s\": '%s' is neither a colour nor an attribute", text, w);
    }
    strv_fini(&words);
    if (!rc)
        *ret = s;
    return rc;
}

void style_format(struct style s, struct str *out)
{
    size_t start = out->len;
    for (size_t i = 0; i < N_ATTRS; i++)
        if (s.attr & attr_names[i].attr)
            str_appendf(out, "%s ", attr_names[i].name);
    if (s.fg >= 0)
        str_appendf(out, "%s ", color_names[s.fg]);
    if (s.bg >= 0)
        str_appendf(out, "on %s ", color_names[s.bg]);
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
    *t = (struct theme){.colors = colors >= 16 ? 16 : colors >= 8 ? 8 : 0};
    for (int r = 0; r < ROLE_N; r++) {
        int rc = parse_style(t->colors ? looks[r] : monos[r], &t->styles[r], NULL);
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

static int load_roles(struct style styles[ROLE_N], const char *path, const config_setting_t *roles,
                      struct errtext *err)
{
    for (int i = 0; i < config_setting_length(roles); i++) {
        const config_setting_t *e = config_setting_get_elem(roles, (unsigned)i);
        const char *name = config_setting_name(e), *text = config_setting_get_string(e);
        int line = (int)config_setting_source_line(e), r = find_role(name);
        if (r < 0)
            return err_set(err, -EINVAL, "%s:%d: there is no role '%s'", path, line, name);
        if (!text)
            return err_set(err, -EINVAL, "%s:%d: %s must be a string such as \"bold green\"", path, line,
                           name);
        int rc = parse_style(text, &styles[r], err);
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
    struct style styles[ROLE_N];
    memcpy(styles, t->styles, sizeof styles);
    int rc = 0;
    const config_setting_t *roles;
    if (config_read_file(&cfg, path) != CONFIG_TRUE)
        rc = err_set(err, -EINVAL, "%s:%d: %s", path, config_error_line(&cfg), config_error_text(&cfg));
    else if (!(roles = config_lookup(&cfg, "roles")) || !config_setting_is_group(roles))
        rc = err_set(err, -EINVAL, "%s: there is no group 'roles'", path);
    else
        rc = load_roles(styles, path, roles, err);
    config_destroy(&cfg);
    if (!rc)
        memcpy(t->styles, styles, sizeof styles);
    return rc;
}

/* Eight colours: a bright one becomes its plain one in bold, but for bright black, which would be black on
 * black. */
static struct style limit_colors(struct style s, int colors)
{
    if (colors >= 16)
        return s;
    if (!colors)
        s.fg = s.bg = -1;
    if (s.fg == 8) {
        s.fg = -1;
        s.attr |= STYLE_DIM;
    } else if (s.fg > 8) {
        s.fg = (int8_t)(s.fg - 8);
        s.attr |= STYLE_BOLD;
    }
    if (s.bg >= 8)
        s.bg = s.bg == 8 ? -1 : (int8_t)(s.bg - 8);
    return s;
}

struct style theme_style(const struct theme *t, enum role role, enum role over)
{
    struct style s = t->styles[role], o = t->styles[over];
    if (over != ROLE_NORMAL) {
        if (o.fg >= 0 || o.bg >= 0 || (o.attr & STYLE_REVERSE))
            s = (struct style){.fg = o.fg, .bg = o.bg, .attr = (uint8_t)(o.attr | (s.attr & STYLE_BOLD))};
        else
            s.attr |= o.attr;
    }
    return limit_colors(s, t->colors);
}

struct style theme_ink(const struct theme *t, enum role role, enum role over, struct ink ink)
{
    struct style s = theme_style(t, role, over);
    if (over != ROLE_NORMAL)
        return s;
    s.attr |= ink.attr;
    if (ink.fg)
        s.fg = (int8_t)(ink.fg - 1);
    if (ink.bg)
        s.bg = (int8_t)(ink.bg - 1);
    return limit_colors(s, t->colors);
}
