/* knows.c - what views may know of the frame. */
#include "ui/frame/frame_internal.h"

const struct model *ui_model(const struct ui *a)
{
    return a->m;
}

bool ui_has_data(const struct ui *a)
{
    return a->has_data;
}

struct wall ui_now(const struct ui *a)
{
    return a->now;
}

struct mono ui_mono(const struct ui *a)
{
    return a->mono;
}

const char *ui_config_dir(const struct ui *a)
{
    return a->o.config_dir;
}

const char *ui_cwd(const struct ui *a)
{
    return a->o.cwd;
}

bool ui_online(const struct ui *a)
{
    return a->online;
}

uint32_t ui_uid(const struct ui *a)
{
    return a->welcome.uid;
}

bool ui_is_admin(const struct ui *a)
{
    return a->welcome.admin;
}

bool ui_ascii(const struct ui *a)
{
    return a->o.ascii;
}

const struct keymap *ui_keymap(const struct ui *a)
{
    return &a->o.keys;
}

bool ui_threads(const struct ui *a)
{
    return a->o.threads;
}
