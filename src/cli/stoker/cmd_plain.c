/* cmd_plain.c - stoker --plain: each change of a job as a line, for screen readers and logs.
 *
 * The controller pushes its events; a line is a moment of a job that was not there before the event. After
 * a lost connection the new state is compared with the old one in the same way, so that nothing is missed.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/lang/lang.h"
#include "src/model/model.h"
#include "src/os/clock.h"
#include "src/record/json.h"
#include "src/text/eventtext.h"
#include "src/text/jobtext.h"

#define PAUSE_FIRST_MS 200
#define PAUSE_MAX_MS   5000
#define READ_MAX       256

struct plain {
    bool all, json;
    const struct cli *cli;
    struct client *client;     /* NULL: lost */
    uint64_t tag;              /* of the request for the state */
    struct model *shown;       /* what has been told; NULL: nothing yet */
    struct model *next;        /* what an answer is building; NULL: none */
    struct idmap told_waiting; /* jobs whose reason to wait has been told */
    uid_t uid;
    int signals;
    struct str out;
};

static const struct opt table[] = {
    {OPT_SETS(struct plain, all), .name = "all", .letter = 'a', .help = N_("the jobs of all users")},
    {OPT_SETS(struct plain, json), .name = "json", .help = N_("a JSON object for each line")},
};

static const struct opts options = OPTS(table, NULL);

/* --- lines --- */

static bool plain_wants(const struct plain *p, const struct job *j)
{
    return p->all || j->uid == p->uid;
}

static void plain_begin_line(struct plain *p, struct wall t)
{
    char when[WALL_TEXT_SIZE];
    wall_format_iso(t, when);
    when[strcspn(when, "T")] = ' ';
    str_appendf(&p->out, "%s  ", when);
}

/* Of jobs of all users the user is named as well. */
static void plain_tell(struct plain *p, const struct job *j, struct wall t, const char *what)
{
    struct str id = STR_INIT;
    jobtext_id(&id, j, BITSTR_LEN_DEFAULT);
    const char *name = j->req.name ? j->req.name : "", *user = j->user ? j->user : "";
    if (p->json) {
        json_begin_object(&p->out, NULL);
        json_int(&p->out, "schema", 1);
        json_time(&p->out, "time", t);
        json_text(&p->out, "job", id.s);
        json_text(&p->out, "name", name);
        json_text(&p->out, "user", user);
        json_text(&p->out, "state", job_state_long((enum job_state)j->state));
        json_text(&p->out, "what", what);
        json_end_object(&p->out);
    } else {
        struct str line = STR_INIT;
        if (p->all)
            str_appendf(&line, tr("job %s %s of %s: %s"), id.s, name, user, what);
        else
            str_appendf(&line, tr("job %s %s: %s"), id.s, name, what);
        plain_begin_line(p, t);
        cell_text(&p->out, line.s, -1, false, false);
        str_fini(&line);
    }
    str_append_char(&p->out, '\n');
    str_fini(&id);
}

static void plain_note(struct plain *p, struct wall t, const char *text)
{
    if (p->json) {
        json_begin_object(&p->out, NULL);
        json_int(&p->out, "schema", 1);
        json_time(&p->out, "time", t);
        json_text(&p->out, "what", text);
        json_end_object(&p->out);
    } else {
        plain_begin_line(p, t);
        cell_text(&p->out, text, -1, false, false);
    }
    str_append_char(&p->out, '\n');
}

static bool has_moment(const struct job_moments *m, const struct job_moment *one)
{
    vec_for_each (&m->v, i)
        if (m->v.v[i].t.ms == one->t.ms && str_eq(m->v.v[i].text, one->text))
            return true;
    return false;
}

/* The moments of j that are not among those before. */
static void plain_tell_new(struct plain *p, const struct job_moments *before, const struct job *j)
{
    struct job_moments now;
    jobevents_list(j, &now);
    vec_for_each (&now.v, i)
        if (!has_moment(before, &now.v.v[i]))
            plain_tell(p, j, now.v.v[i].t, now.v.v[i].text);
    job_moments_fini(&now);
}

/* Why a job waits: once each time that it is queued, and then what is not merely its place in the queue. */
static void plain_tell_reason(struct plain *p, const struct job *j)
{
    bool told = idmap_get(&p->told_waiting, j->id);
    struct str words = STR_INIT, line = STR_INIT;
    jobtext_reason_words(&words, j);
    if (words.len && (j->reason != REASON_NONE || j->hold) &&
        !(told && (j->reason == REASON_PRIORITY || j->reason == REASON_RESOURCES))) {
        str_appendf(&line, tr("waiting: %s"), words.s);
        plain_tell(p, j, wall_read(), line.s);
        idmap_set(&p->told_waiting, j->id, p);
    }
    str_fini(&words);
    str_fini(&line);
}

/* --- the state and its changes --- */

static void plain_summary(struct plain *p)
{
    uint64_t running = 0, waiting = 0, held = 0;
    const struct msg_welcome *w = client_welcome(p->client);
    list_for_each (j, &p->shown->all, struct job, in_all) {
        uint64_t n = j->state == JOB_PENDING ? job_pending_elements(j) : 1;
        if (!plain_wants(p, j) || job_state_is_final((enum job_state)j->state))
            continue;
        running += j->state == JOB_PENDING ? 0 : n;
        waiting += j->state == JOB_PENDING ? n : 0;
        held += j->state == JOB_PENDING && j->hold ? n : 0;
        if (j->state == JOB_PENDING)
            idmap_set(&p->told_waiting, j->id, p);
    }
    struct str s = STR_INIT;
    str_appendf(&s,
                p->all ? tr("cluster %s, jobs of all users: %llu running, %llu waiting (%llu of them held)")
                       : tr("cluster %s, your jobs: %llu running, %llu waiting (%llu of them held)"),
                w && w->name ? w->name : "", (unsigned long long)running, (unsigned long long)waiting,
                (unsigned long long)held);
    plain_note(p, w ? w->now : wall_read(), s.s);
    str_fini(&s);
}

/* What has happened while there was no connection. */
static void plain_compare(struct plain *p)
{
    list_for_each (j, &p->next->all, struct job, in_all) {
        const struct job *was = model_get_job(p->shown, j->id);
        struct job_moments before = {VEC_INIT};
        if (!plain_wants(p, j))
            continue;
        if (was)
            jobevents_list(was, &before);
        plain_tell_new(p, &before, j);
        job_moments_fini(&before);
    }
}

static void plain_model_drop(struct model *m)
{
    if (m)
        model_fini(m);
    free(m);
}

static void plain_adopt(struct plain *p)
{
    struct model *before = p->shown;
    if (before)
        plain_compare(p);
    p->shown = p->next;
    p->next = NULL;
    plain_model_drop(before);
    if (!before)
        plain_summary(p);
}

/* The job that the event changes: of an array the element that it makes. */
static uint32_t plain_job_of(const struct msg_event *msg)
{
    struct event ev;
    uint32_t id = 0;
    if ((msg->kind != EV_START && msg->kind != EV_SPLIT) || event_from_msg(msg, &ev, NULL) < 0)
        return msg->job;
    id = msg->kind == EV_START ? ((const struct ev_start *)ev.body)->new_id
                               : ((const struct ev_split *)ev.body)->new_id;
    event_fini(&ev);
    return id ? id : msg->job;
}

/* Returns a negative error where what is known is not the state any more. */
static int plain_take_event(struct plain *p, const struct incoming *in, struct errtext *err)
{
    const struct msg_event *ev = in->body;
    const struct job *was = ev->job ? model_get_job(p->shown, ev->job) : NULL;
    struct job_moments before = {VEC_INIT};
    if (was && plain_wants(p, was))
        jobevents_list(was, &before);
    int rc = mirror_feed(p->shown, in, err);
    const struct job *j = rc > 0 && ev->job ? model_get_job(p->shown, plain_job_of(ev)) : NULL;
    if (j && plain_wants(p, j))
        plain_tell_new(p, &before, j);
    if (j && plain_wants(p, j) && ev->kind == EV_SUBMIT &&
        j->hold) /* no scheduling cycle has to find that out */
        plain_tell_reason(p, j);
    if (ev->job && (!j || j->state != JOB_PENDING))
        idmap_remove(&p->told_waiting, ev->job);
    job_moments_fini(&before);
    return rc;
}

static int plain_take_reasons(struct plain *p, const struct incoming *in, struct errtext *err)
{
    const struct msg_reasons *m = in->body;
    int rc = mirror_feed(p->shown, in, err);
    for (size_t i = 0; rc > 0 && i < m->rows.n; i++) {
        const struct job *j = model_get_job(p->shown, m->rows.v[i].job);
        if (j && j->state == JOB_PENDING && plain_wants(p, j))
            plain_tell_reason(p, j);
    }
    return rc;
}

static int plain_ask_state(struct plain *p, struct errtext *err)
{
    struct msg_get get = {.what = GET_SPEC | GET_NODES | GET_JOBS | GET_WINDOWS, .follow = true};
    plain_model_drop(p->next);
    p->next = xcalloc(1, sizeof *p->next);
    model_init(p->next);
    return client_send(p->client, MSG_GET, &get, &p->tag, err);
}

static int plain_take(struct plain *p, const struct incoming *in, struct errtext *err)
{
    if (in->kind == MSG_RESULT && in->tag == p->tag) {
        const struct msg_result *r = in->body;
        return err_set(err, -EACCES, "%s", r->text ? r->text : tr("the controller refuses the request"));
    }
    if (in->kind == MSG_RESYNC)
        return plain_ask_state(p, err);
    if (in->kind == MSG_EVENT || in->kind == MSG_REASONS) {
        if (p->next || !p->shown) /* the state that comes has it */
            return 0;
        int rc = in->kind == MSG_EVENT ? plain_take_event(p, in, err) : plain_take_reasons(p, in, err);
        return rc < 0 ? plain_ask_state(p, err) : rc;
    }
    if (!p->next)
        return 0;
    int rc = mirror_feed(p->next, in, err);
    if (rc >= 0 && in->kind == MSG_SNAPSHOT)
        plain_adopt(p);
    return rc;
}

static void plain_lose(struct plain *p, const char *why)
{
    struct str s = STR_INIT;
    client_free(p->client);
    p->client = NULL;
    plain_model_drop(p->next);
    p->next = NULL;
    str_appendf(&s, tr("connection to the controller lost: %s"), why);
    plain_note(p, wall_read(), s.s);
    str_fini(&s);
}

/* Takes in what has come, READ_MAX messages at most, so that lines and signals do not wait behind a stream
 * of events. Returns whether there may be more. */
static bool plain_read(struct plain *p)
{
    struct errtext err = {""};
    struct incoming in;
    int rc = 1;
    for (int n = 0; n < READ_MAX && p->client && (rc = client_next(p->client, 0, &in, &err)) > 0; n++) {
        int took = plain_take(p, &in, &err);
        msg_free(in.kind, in.body);
        if (took < 0) {
            rc = took;
            break;
        }
    }
    if (rc < 0)
        plain_lose(p, err.s);
    return rc > 0;
}

/* --- the loop --- */

static void plain_connect(struct plain *p)
{
    struct errtext err = {""};
    struct client *c = NULL;
    if (client_connect(p->cli->name, CLIENT_SLURM, &c, &err) < 0)
        return;
    p->client = c;
    plain_note(p, wall_read(), tr("connected again"));
    if (plain_ask_state(p, &err) < 0)
        plain_lose(p, err.s);
}

/* Until a signal, or until the reader has gone. A job that changes is told at once; while nothing changes
 * the process sleeps. */
static int plain_loop(struct plain *p)
{
    int pause_ms = PAUSE_FIRST_MS;
    for (bool more = true;;) {
        if (p->out.len && !out_flush(&p->out))
            return EXIT_FAILURE;
        struct pollfd fds[] = {
            {.fd = p->signals, .events = POLLIN},
            {.fd = STDOUT_FILENO},
            {.fd = p->client ? client_fd(p->client) : -1, .events = POLLIN},
        };
        int n = poll(fds, sizeof fds / sizeof fds[0], more ? 0 : p->client ? -1 : pause_ms);
        if (n < 0 && errno != EINTR)
            return EXIT_FAILURE;
        if (n > 0 && fds[0].revents)
            return EXIT_SUCCESS;
        if (n > 0 && fds[1].revents & (POLLERR | POLLHUP | POLLNVAL))
            return EXIT_FAILURE;
        if (p->client) {
            pause_ms = PAUSE_FIRST_MS;
            more = plain_read(p);
        } else {
            pause_ms = pause_ms * 2 < PAUSE_MAX_MS ? pause_ms * 2 : PAUSE_MAX_MS;
            plain_connect(p);
            more = p->client;
        }
    }
}

static int plain_take_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int plain_run(struct cli *cli, int argc, char **argv)
{
    struct plain p = {.cli = cli, .uid = getuid(), .out = STR_INIT};
    struct errtext err = {""};
    int rc = 0;
    if (!cli_parse(cli, &p, argc, argv, 0, NULL, &rc))
        return rc;
    p.client = ask_connect(cli);
    if (!p.client)
        return EXIT_AWAY;
    p.signals = plain_take_signals();
    rc = plain_ask_state(&p, &err) < 0 ? EXIT_AWAY : plain_loop(&p);
    if (rc == EXIT_AWAY)
        cli_error(cli, "%s", err.s);
    client_free(p.client);
    close(p.signals);
    idmap_fini(&p.told_waiting);
    plain_model_drop(p.shown);
    plain_model_drop(p.next);
    str_fini(&p.out);
    return rc;
}

const struct command cmd_plain = {
    .name = "plain",
    .summary = N_("Print each change of your jobs as a line"),
    .usage = "[-a] [--json]",
    .options = &options,
    .run = plain_run,
};
