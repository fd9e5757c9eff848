/* arraytext.c - the elements of an array in words. */
#include "src/text/arraytext.h"

#include "src/lang/lang.h"

enum element_is element_of_state(enum job_state s)
{
    switch (s) {
    case JOB_PENDING: return ELEMENT_WAITING;
    case JOB_RUNNING:
    case JOB_SUSPENDED:
    case JOB_COMPLETING: return ELEMENT_RUNNING;
    case JOB_COMPLETED: return ELEMENT_DONE;
    case JOB_CANCELLED:
    case JOB_PREEMPTED: return ELEMENT_CANCELLED;
    case JOB_FAILED:
    case JOB_TIMEOUT:
    case JOB_NODE_FAIL:
    case JOB_OUT_OF_MEMORY:
    case JOB_DEADLINE:
    case JOB_N_STATES: break;
    }
    return ELEMENT_FAILED;
}

void element_count_gone(const struct job *record, uint32_t counts[static ELEMENT_KINDS])
{
    const struct job_rare *rare = job_rare(record);
    for (size_t i = 0; i < rare->array_gone.n; i++)
        counts[element_of_state((enum job_state)rare->array_gone.v[i].state)] += rare->array_gone.v[i].n;
}

void arraytext_counts(struct str *out, const uint32_t counts[static ELEMENT_KINDS], uint32_t all)
{
    static const char *const words[ELEMENT_KINDS] = {
        [ELEMENT_DONE] = N_("done"),           [ELEMENT_FAILED] = N_("failed"),
        [ELEMENT_CANCELLED] = N_("cancelled"), [ELEMENT_RUNNING] = N_("running"),
        [ELEMENT_WAITING] = N_("waiting"),     [ELEMENT_EARLIER] = N_("ended earlier"),
    };
    uint32_t sum = 0;
    for (size_t i = 0; i < ELEMENT_KINDS; i++)
        if (counts[i]) {
            str_appendf(out, "%s%u %s", sum ? ", " : "", counts[i], tr(words[i]));
            sum += counts[i];
        }
    if (sum < all)
        str_appendf(out, tr(" of %u"), all);
}

void arraytext_indices(struct str *out, const uint32_t *indices, size_t n, size_t max)
{
    size_t begin = out->len;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && indices[end] == indices[end - 1] + 1)
            end++;
        str_append(out, i ? ", " : "");
        if (out->len - begin > max) {
            str_append(out, "...");
            return;
        }
        str_appendf(out, "%u", indices[i]);
        if (end > i + 1)
            str_appendf(out, "-%u", indices[end - 1]);
        i = end;
    }
}
