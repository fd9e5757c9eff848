#include "src/model/private_data.h"

#include <string.h>

uint32_t private_data_of(const struct strv *words, const char **ret_unknown)
{
    static const char *const names[] = {
#define X(name, word) word,
        PRIVATE_DATA(X)
#undef X
    };
    uint32_t bits = 0;
    if (ret_unknown)
        *ret_unknown = NULL;
    for (size_t i = 0; i < words->n; i++) {
        uint32_t bit = 0;
        for (uint32_t k = 0; k < PRIVATE_N_WORDS; k++)
            bit |= str_eq(words->v[i], names[k]) ? 1u << k : 0;
        if (!bit && ret_unknown && !*ret_unknown)
            *ret_unknown = words->v[i];
        bits |= bit;
    }
    return bits;
}

static bool has_arguments(const char *command)
{
    return command && strchr(command, ' ');
}

static void cut_arguments(char *command)
{
    if (command)
        command[strcspn(command, " ")] = '\0';
}

bool job_has_arguments(const struct job *j)
{
    bool any = has_arguments(job_origin(j)->command);
    for (size_t i = 0; !any && i < j->steps.n; i++)
        any = has_arguments(j->steps.v[i].command);
    const struct job_rare *rare = job_rare(j);
    for (size_t i = 0; !any && i < rare->runs.n; i++)
        for (size_t k = 0; !any && k < rare->runs.v[i].steps.n; k++)
            any = has_arguments(rare->runs.v[i].steps.v[k].command);
    return any;
}

void job_cut_arguments(struct job *j)
{
    cut_arguments(job_origin(j)->command);
    for (size_t i = 0; i < j->steps.n; i++)
        cut_arguments(j->steps.v[i].command);
    for (size_t i = 0; j->rare && i < j->rare->runs.n; i++)
        for (size_t k = 0; k < j->rare->runs.v[i].steps.n; k++)
            cut_arguments(j->rare->runs.v[i].steps.v[k].command);
}
