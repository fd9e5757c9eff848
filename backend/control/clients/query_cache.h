/* query_cache.h - rows as they were sent a moment ago, for clients that ask the same before anything has
 * changed.
 *
 * Many programs ask what `squeue` asks, many times a second, and between two events the answer is the same
 * to the byte: it is made once. ANSWERS answers are kept, none larger than ANSWER_MAX.
 */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_QUERY_CACHE_H
#define STOKER_BACKEND_CONTROL_CLIENTS_QUERY_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/str.h"
#include "src/base/vec.h"

#define ANSWERS    8
#define ANSWER_MAX (1u << 20)

struct query_stamp { /* what an answer depends on beside its question */
    uint64_t events, cycles;
    int64_t second; /* priorities grow with time */
    /* When it was begun: a query that had come by then may get it, whatever happened since. */
    int64_t begun_ns;
    int64_t forecast_ms; /* when the forecast was made that its starts are from */
};

#define ANSWER_CHANGED UINT64_MAX /* for `events`: something happened while it was made */

struct query_answer { /* the bodies of its messages, one behind the other */
    struct str bytes;
    VEC(size_t) ends;
};

struct query_cache;

struct query_cache *query_cache_new(void) __attribute__((warn_unused_result));
void query_cache_free(struct query_cache *a);
/* The state has changed without an event: it was read again. */
void query_cache_clear(struct query_cache *a);

/* What still holds, or was begun after asked_ns; NULL where there is none. Valid until the next call. key:
 * the question, as it was encoded. */
const struct query_answer *query_cache_find(const struct query_cache *a, const struct str *key,
                                            struct query_stamp now, int64_t asked_ns);
/* In the place of the one that was kept first. Takes what `key` and `answer` own. */
void query_cache_take(struct query_cache *a, struct str *key, struct query_stamp made,
                      struct query_answer *answer);

#define ANSWER_INIT                         \
    {                                       \
        .bytes = STR_INIT, .ends = VEC_INIT \
    }
/* One more message; false, and nothing is left in it, where it gets too large. */
bool query_answer_add(struct query_answer *a, const void *body, size_t n);
void query_answer_fini(struct query_answer *a);

#endif
