/* seldom.c - a question that is not asked too often. */
#include "ui/view/seldom.h"

bool seldom_is_due(struct seldom *s, const struct ui *ui, int pause_ms)
{
    struct mono now = ui_mono(ui), next = mono_add_ms(s->asked, pause_ms);
    s->due = (struct mono){0};
    if (s->refused || !ui_has_data(ui))
        return false;
    bool early = s->asked.ns && now.ns < next.ns;
    if (early || s->asking) {
        s->due = early ? next : mono_add_ms(now, pause_ms);
        return false;
    }
    s->asked = now;
    return true;
}

void seldom_sent(struct seldom *s, bool sent)
{
    s->asking = sent;
}

bool seldom_answered(struct seldom *s, const struct incoming *in, enum msg_kind kind)
{
    s->asking = false;
    if (in && in->kind == kind) {
        s->has = true;
        return true;
    }
    s->refused = in != NULL;
    if (!in) /* the connection was lost: asked again when it is back */
        s->asked = (struct mono){0};
    return false;
}
