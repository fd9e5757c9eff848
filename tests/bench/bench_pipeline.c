/* bench_pipeline.c - submissions per second over one connection, many of them on the way at once.
 *
 *     bench_pipeline [-n JOBS] [-w ON_THE_WAY] [-H]      -H: held jobs
 *
 * Every job is what sbatch would send of this environment and of a script of one line. Prints "RATE": jobs
 * per second, each acknowledged, which means on disk.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/common.h"

/* With what sbatch sends of the place where it is called. */
static void make_whole_submit(struct msg_submit *m, bool hold)
{
    char dir[PATH_MAX];
    if (!getcwd(dir, sizeof dir))
        fail("getcwd", strerror(errno));
    make_submit(m, dir);
    m->hold = hold;
    m->command = xstrdup("true");
    for (char **e = environ; *e; e++)
        strv_push(&m->payload.env, *e);
}

static void send_one(struct client *c, struct msg_submit *m)
{
    uint64_t tag;
    struct errtext err = {0};
    free(m->request_id);
    m->request_id = client_request_id();
    if (client_send(c, MSG_SUBMIT, m, &tag, &err) < 0)
        fail("send", err.s);
}

static void take_answer(struct client *c)
{
    struct incoming in;
    struct errtext err = {0};
    if (client_next(c, -1, &in, &err) < 0)
        fail("no answer", err.s);
    const struct msg_result *r = in.body;
    if (in.kind != MSG_RESULT || r->refusal != REFUSAL_NONE)
        fail("refused", in.kind == MSG_RESULT ? r->text : msg_name(in.kind));
    msg_free(in.kind, in.body);
}

int main(int argc, char **argv)
{
    size_t n = 100000, on_the_way = 1000, sent = 0;
    bool hold = false;
    for (int o; (o = getopt(argc, argv, "n:w:H")) != -1;) {
        if (o == 'n')
            n = strtoul(optarg, NULL, 10);
        else if (o == 'w')
            on_the_way = strtoul(optarg, NULL, 10);
        else if (o == 'H')
            hold = true;
        else
            return 2;
    }
    struct client *c;
    struct errtext err = {0};
    if (client_connect("bench", 0, &c, &err) < 0)
        fail("connect", err.s);
    struct msg_submit m;
    make_whole_submit(&m, hold);
    double t0 = now_ms();
    for (size_t answered = 0; answered < n; answered++) {
        while (sent < n && sent - answered < on_the_way) {
            send_one(c, &m);
            sent++;
        }
        take_answer(c);
    }
    printf("%.0f\n", (double)n / (now_ms() - t0) * 1e3);
    rec_fini(&msg_submit_rec, &m);
    client_free(c);
    return 0;
}
