/* What a controller of any release tells a client, folded into its mirror: the state stays sound, or the
 * client is told to ask again. An input is a list of messages (conversation.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/strpool.h"
#include "src/client/client.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"

#define CONVERSATION_CONNS 1
#include "tests/fuzz/conversation.h"

static void take_conversation(struct model *m, const uint8_t *data, size_t size)
{
    struct errtext err = {""};
    struct said said;
    for (size_t at = 0; conversation_next(data, size, &at, &said);) {
        struct frame f = {.type = said.type, .body = said.body, .size = said.n};
        if (f.type == MSG_JOBS && mirror_feed_rows(m, f.body, f.size, &err) < 0)
            break;
        struct incoming in = {.kind = (enum msg_kind)f.type};
        if (f.type >= MSG_N_KINDS || msg_decode(&f, &in.body, &err) < 0)
            continue;
        int r = mirror_feed(m, &in, &err);
        msg_free(in.kind, in.body);
        if (r < 0) /* it asks again, with an empty mirror */
            break;
    }
}

static void same_jobs(const struct model *a, const struct model *b)
{
    list_for_each (j, &a->all, struct job, in_all) {
        const struct job *other = model_get_job(b, j->id);
        assert(other && rec_eq(&job_rec, j, other));
    }
    assert(a->jobs.n == b->jobs.n && a->n_nodes == b->n_nodes);
}

/* A command's mirror, and a screen's, whose jobs share what they have alike: both know the same. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model alone, shared;
    struct strpool *texts = strpool_new();
    model_init(&alone);
    model_init(&shared);
    model_intern_texts(&shared, texts);
    take_conversation(&alone, data, size);
    take_conversation(&shared, data, size);
    same_jobs(&alone, &shared);
    model_fini(&shared);
    strpool_unref(texts);
    model_fini(&alone);
    return 0;
}
