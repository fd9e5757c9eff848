/* settings.c - what the user set. */
#include "ui/app/settings.h"

#include <dirent.h>
#include <errno.h>
#include <libconfig.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "ui/keys/input.h"

void settings_init(struct settings *s)
{
    *s = (struct settings){.gpu_idle_s = SETTINGS_GPU_IDLE_S, .clock_speed = 1};
    keymap_init(&s->keys);
}

void settings_fini(struct settings *s)
{
    free(s->theme);
    free(s->samples);
    *s = (struct settings){0};
}

char *settings_beside(const char *name)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    return xdg && *xdg ? xasprintf("%s/stoker/%s", xdg, name)
                       : xasprintf("%s/.config/stoker/%s", home ? home : "", name);
}

char *settings_path(void)
{
    return settings_beside("ui.cfg");
}

char *settings_theme_path(const char *name, const char *dir)
{
    if (strchr(name, '/'))
        return xstrdup(name);
    char *folder = settings_beside("themes"), *own = xasprintf("%s/%s.theme", folder, name);
    free(folder);
    if (access(own, R_OK) == 0)
        return own;
    free(own);
    return xasprintf("%s/%s.theme", dir, name);
}

static void add_themes(struct strv *names, const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!str_ends(e->d_name, ".theme"))
            continue;
        char *name = xstrndup(e->d_name, strlen(e->d_name) - strlen(".theme"));
        if (!strv_has(names, name))
            strv_push(names, name);
        free(name);
    }
    if (d)
        closedir(d);
}

struct strv settings_themes(const char *dir)
{
    struct strv names = {0};
    char *own = settings_beside("themes");
    strv_push(&names, "dark");
    strv_push(&names, "light");
    strv_push(&names, "mono");
    strv_push(&names, "colourblind");
    add_themes(&names, own);
    add_themes(&names, dir);
    free(own);
    return names;
}

/* An action that lost all its keys to another would be unreachable, so this is reported. */
static int all_have_keys(const struct settings *s, const char *path, const config_setting_t *keys,
                         struct errtext *err)
{
    for (int a = 1; a < ACTION_N; a++) {
        const char *name = action_info((enum action)a)->name;
        enum action taker;
        if (!keymap_is_bare(&s->keys, (enum action)a, &taker) || config_setting_get_member(keys, name))
            continue;
        const config_setting_t *e =
            taker ? config_setting_get_member(keys, action_info(taker)->name) : NULL;
        return err_set(err, -EINVAL,
                       "%s:%u: '%s' would have no key left: give that action another key, or \"\"", path,
                       config_setting_source_line(e ? e : keys), name);
    }
    return 0;
}

/* "j" for drain would hide "down" where both are keys, and users who press it to move would drain
 * a node. */
static int none_hides_another(const struct settings *s, const char *path, const config_setting_t *keys,
                              struct errtext *err)
{
    for (int i = 0; i < config_setting_length(keys); i++) {
        const config_setting_t *e = config_setting_get_elem(keys, (unsigned)i);
        uint32_t key = 0;
        enum action a = action_find(config_setting_name(e)), other = keymap_clash(&s->keys, a, &key);
        if (!other)
            continue;
        struct str name = STR_INIT;
        key_format(key, &name);
        int rc = err_set(err, -EINVAL,
                         "%s:%u: '%s' is already a key of '%s' there: give that action another key", path,
                         config_setting_source_line(e), name.s, action_info(other)->name);
        str_fini(&name);
        return rc;
    }
    return 0;
}

static int take_keys(struct settings *s, const char *path, const config_setting_t *keys,
                     struct errtext *err)
{
    for (int i = 0; i < config_setting_length(keys); i++) {
        const config_setting_t *e = config_setting_get_elem(keys, (unsigned)i);
        enum action a = action_find(config_setting_name(e));
        int line = (int)config_setting_source_line(e);
        const char *text = config_setting_get_string(e);
        if (!a)
            return err_set(err, -EINVAL,
                           "%s:%d: there is no action '%s'; stoker-ui --print-keys lists them", path, line,
                           config_setting_name(e));
        if (!text)
            return err_set(err, -EINVAL, "%s:%d: keys are a string such as \"j Down\"", path, line);
        int rc = keymap_bind(&s->keys, a, text, err);
        if (rc)
            return err_prefix(err, rc, "%s:%d", path, line);
    }
    return 0;
}

static int take_setting(struct settings *s, const char *path, const config_setting_t *e,
                        struct errtext *err)
{
    const char *name = config_setting_name(e), *text = config_setting_get_string(e);
    int line = (int)config_setting_source_line(e);
    bool is_bool = config_setting_type(e) == CONFIG_TYPE_BOOL, on = is_bool && config_setting_get_bool(e);
    if (str_eq(name, "keys") && config_setting_is_group(e))
        return take_keys(s, path, e, err);
    if (str_eq(name, "theme") && text) {
        xstrset(&s->theme, text);
    } else if (str_eq(name, "gpu_idle") && text) {
        int rc = duration_parse_conf(text, &s->gpu_idle_s, err);
        if (rc)
            return err_prefix(err, rc, "%s:%d", path, line);
    } else if (str_eq(name, "ascii") && is_bool) {
        s->ascii = on;
    } else if (str_eq(name, "read_only") && is_bool) {
        s->read_only = on;
    } else if (str_eq(name, "mouse") && is_bool) {
        s->no_mouse = !on;
    } else {
        return err_set(err, -EINVAL,
                       "%s:%d: '%s' is not one of theme, ascii, mouse, read_only, gpu_idle, keys, or has "
                       "the wrong type",
                       path, line, name);
    }
    return 0;
}

int settings_load(struct settings *s, const char *path, struct errtext *err)
{
    if (access(path, F_OK) != 0)
        return 0;
    config_t cfg;
    config_init(&cfg);
    int rc = 0;
    if (config_read_file(&cfg, path) != CONFIG_TRUE)
        rc = err_set(err, -EINVAL, "%s:%d: %s", path, config_error_line(&cfg), config_error_text(&cfg));
    const config_setting_t *root = rc ? NULL : config_root_setting(&cfg);
    for (int i = 0; root && !rc && i < config_setting_length(root); i++)
        rc = take_setting(s, path, config_setting_get_elem(root, (unsigned)i), err);
    const config_setting_t *keys = root && !rc ? config_setting_get_member(root, "keys") : NULL;
    if (keys)
        rc = all_have_keys(s, path, keys, err);
    if (keys && !rc)
        rc = none_hides_another(s, path, keys, err);
    config_destroy(&cfg);
    return rc;
}
