/* refusal.c - texts and exit codes of refusals. */
#include "src/answers/refusal.h"

#include "src/base/err.h"

const char *refusal_slurm(enum refusal r)
{
    static const char *const texts[REFUSAL_N] = {
#define X(name, exit_code, slurm) [REFUSAL_##name] = slurm,
        REFUSALS(X)
#undef X
    };
    bug_on((unsigned)r >= REFUSAL_N);
    return texts[r];
}

int refusal_exit_code(enum refusal r)
{
    static const int codes[REFUSAL_N] = {
#define X(name, exit_code, slurm) [REFUSAL_##name] = exit_code,
        REFUSALS(X)
#undef X
    };
    bug_on((unsigned)r >= REFUSAL_N);
    return codes[r];
}
