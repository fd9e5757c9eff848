#include "backend/control/requests/req_reload.h"

#include "backend/control/reload.h"
#include "backend/control/users/user_cache.h"
#include "src/os/log.h"

void req_reload(struct session *s, uint64_t tag, void *body)
{
    (void)body;
    struct control *c = s->ctl;
    struct errtext err = {""};
    if (config_reload(c, &err) < 0)
        session_refuse(s, tag, REFUSAL_BAD_REQUEST, 0,
                       &(struct cause){.code = CAUSE_WORDS, .text = xstrdup(err.s)});
    else
        session_done(s, tag, 0, 1);
    log_info("configuration read again by user=%s%s%s", user_name(c->users, s->uid),
             err.s[0] ? ", refused: " : "", err.s);
}
