#include "backend/demo/demo_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/demo/demo_machines.h"
#include "src/base/xalloc.h"
#include "src/conf/jobfile.h"
#include "src/jobspec/batchopts.h"
#include "src/jobspec/message.h"

/* The row's text with the ids in it; caller frees. */
static char *demo_work_text(const struct demo_work *w, const uint32_t *ids)
{
    struct str out = STR_INIT;
    const char *p = w->text;
    for (const char *at; (at = strchr(p, '@')); p = strchr(at + 1, '@') + 1) {
        size_t n = strcspn(at + 1, "@");
        uint32_t id = 0;
        for (unsigned i = 0; i < demo_n_works; i++)
            if (strlen(demo_works[i].name) == n && strncmp(demo_works[i].name, at + 1, n) == 0 &&
                ids[i] > id)
                id = ids[i];
        str_append_n(&out, p, (size_t)(at - p));
        str_appendf(&out, "%u", id);
    }
    str_append(&out, p);
    return str_take(&out);
}

/* Nothing of the caller's own environment goes along. */
static void demo_work_set_owner(const struct demo_work *w, struct msg_submit *m)
{
    const char *user = demo_user_name(w->user);
    strv_fini(&m->payload.env);
    strv_setenv(&m->payload.env, "PATH", "/usr/local/bin:/usr/bin:/bin");
    strv_setenv(&m->payload.env, "USER", user);
    strv_setenvf(&m->payload.env, "HOME", "/home/%s", user);
    free(m->host);
    m->host = xstrdup(DEMO_LOGIN);
    m->payload.umask = 022;
}

static char *demo_work_dir(const struct demo_work *w)
{
    return xasprintf("/home/%s/%s", demo_user_name(w->user), w->name);
}

static int demo_work_batch(const struct demo_work *w, char *text, struct wall now, struct msg_submit *ret,
                           struct errtext *err)
{
    struct batch b;
    char *dir = demo_work_dir(w);
    struct script s = {.text = {.p = (uint8_t *)text, .n = strlen(text)},
                       .path = xasprintf("%s/%s.sh", dir, w->name),
                       .name = xstrdup(w->name)};
    batch_init(&b);
    b.job.now = now;
    int r = batch_take_header(&b, &s, err);
    if (r == 0) {
        free(b.job.req.workdir);
        b.job.req.workdir = dir;
        dir = NULL;
    }
    r = r ? r : jobopts_finish(&b.job, err);
    r = r ? r : message_of_script(&b.job, &s, NULL, 0, ret, err);
    batch_fini(&b);
    script_fini(&s);
    free(dir);
    return r;
}

static int demo_work_steps(const struct demo_work *w, char *text, struct wall now, struct msg_submit *ret,
                           struct errtext *err)
{
    struct jobfile f;
    struct batch b;
    char *path = xasprintf("%s.job", w->name);
    int r = jobfile_parse(path, text, now, &f, err);
    free(path);
    free(text);
    if (r < 0)
        return r;
    batch_init(&b);
    message_take_jobfile(&b.job, &f);
    free(b.job.req.workdir);
    b.job.req.workdir = demo_work_dir(w);
    r = jobopts_finish(&b.job, err);
    r = r ? r : message_of_jobfile(&b.job, &f, ret, err);
    if (r == 0) {
        free(ret->command);
        ret->command = xasprintf("%s/%s.job", ret->req.workdir, w->name);
    }
    batch_fini(&b);
    jobfile_fini(&f);
    return r;
}

int demo_work_message(const struct demo_work *w, const uint32_t *ids, struct wall now,
                      struct msg_submit *ret, struct errtext *err)
{
    char *text = demo_work_text(w, ids);
    int r = str_starts(text, "#!") ? demo_work_batch(w, text, now, ret, err)
                                   : demo_work_steps(w, text, now, ret, err);
    if (r == 0)
        demo_work_set_owner(w, ret);
    return r;
}
