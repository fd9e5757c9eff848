/* ui_state.c - what views may read of the frame. */
#include "ui/state/ui_state.h"

#include "src/lang/lang.h"

const struct model *ui_model(const struct ui *ui)
{
    return ui->m;
}

bool ui_has_data(const struct ui *ui)
{
    return ui->session.has_data;
}

bool ui_online(const struct ui *ui)
{
    return ui->session.online;
}

uint32_t ui_uid(const struct ui *ui)
{
    return ui->session.welcome.uid;
}

bool ui_is_admin(const struct ui *ui)
{
    return ui->session.welcome.admin;
}

struct wall ui_now(const struct ui *ui)
{
    return ui->now;
}

struct mono ui_mono(const struct ui *ui)
{
    return ui->mono;
}

const char *ui_config_dir(const struct ui *ui)
{
    return ui->o.config_dir;
}

const char *ui_cwd(const struct ui *ui)
{
    return ui->o.cwd;
}

const struct strv *ui_far_env(const struct ui *ui)
{
    return ui->o.far_env;
}

bool ui_ascii(const struct ui *ui)
{
    return ui->o.ascii;
}

const struct keymap *ui_keymap(const struct ui *ui)
{
    return &ui->o.keys;
}

bool ui_threads(const struct ui *ui)
{
    return ui->o.threads;
}

int64_t ui_gpu_idle_flag_s(const struct ui *ui)
{
    return ui->o.gpu_idle_flag_s;
}

void ui_changed(struct ui *ui)
{
    ui->dirty = true;
}

const char *ui_why_read_only(const struct ui *ui)
{
    return ui->o.read_only ? tr("read-only: started with --read-only") : ui->session.welcome.read_only;
}
