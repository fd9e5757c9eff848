#include "backend/slurm/slurm_word.h"

#include <stdint.h>
#include <sys/random.h>

#include "src/base/err.h"

void slurm_word_make(char word[static SLURM_WORD_SIZE])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    uint8_t random[SLURM_WORD_SIZE - 2];
    bug_on(getrandom(random, sizeof random, 0) != (ssize_t)sizeof random);
    word[0] = '\037';
    for (unsigned i = 0; i < sizeof random; i++)
        word[1 + i] = letters[random[i] % (sizeof letters - 1)];
    word[SLURM_WORD_SIZE - 1] = '\0';
}
