/* What a controller of any release tells a client, folded into its mirror: the state stays sound, or the
 * client is told to ask again. An input is a list of messages (conversation.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/client/client.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"

#define CONVERSATION_CONNS 1
#include "tests/fuzz/conversation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model m;
    struct errtext err = {""};
    model_init(&m);
    struct said said;
    for (size_t at = 0; conversation_next(data, size, &at, &said);) {
        struct frame f = {.type = said.type, .body = said.body, .size = said.n};
        if (f.type == MSG_JOBS && mirror_feed_rows(&m, f.body, f.size, &err) < 0)
            break;
        struct incoming in = {.kind = (enum msg_kind)f.type};
        if (f.type >= MSG_N_KINDS || msg_decode(&f, &in.body, &err) < 0)
            continue;
        int r = mirror_feed(&m, &in, &err);
        msg_free(in.kind, in.body);
        if (r < 0) /* it asks again, with an empty mirror */
            break;
    }
    model_fini(&m);
    return 0;
}
