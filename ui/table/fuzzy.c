/* fuzzy.c - texts that are like a word. */
#include "ui/table/fuzzy.h"

#include <stdbool.h>
#include <stddef.h>

#define SCORE_FIRST 8 /* the text itself begins so */
#define SCORE_NEXT  4 /* a letter follows the one before */
#define SCORE_PART  3 /* it begins a part */
#define SCORE_GAP   1 /* letters are between */

static bool fuzzy_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static char to_low(char c)
{
    return is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

static bool is_letter(char c)
{
    return to_low(c) >= 'a' && to_low(c) <= 'z';
}

/* Of "train-net50 evalSet" t, n, 5, e and S begin a part. Bytes of other alphabets are within words. */
static bool begins_part(const char *text, size_t i)
{
    char c = text[i], before = i ? text[i - 1] : ' ';
    bool other = (unsigned char)c >= 0x80;
    if (!is_letter(c) && !fuzzy_is_digit(c) && !other)
        return false;
    if (fuzzy_is_digit(c))
        return !fuzzy_is_digit(before);
    return !is_letter(before) ? (unsigned char)before < 0x80 : is_upper(c) && !is_upper(before);
}

/* From a beginning on, each letter at the first place where it may stand. */
static int score_from(const char *text, size_t at, const char *low)
{
    int score = at ? SCORE_PART : SCORE_FIRST;
    size_t k = 1, last = at;
    for (size_t i = at + 1; text[i] && low[k]; i++) {
        bool near = i - last <= FUZZY_GAP + 1, part = begins_part(text, i);
        if (to_low(text[i]) != low[k] || (!near && !part))
            continue;
        score += i == last + 1 ? SCORE_NEXT : part ? SCORE_PART : SCORE_GAP;
        last = i;
        k++;
    }
    return low[k] ? 0 : score;
}

int fuzzy_score(const char *text, const char *low)
{
    int best = 0;
    for (size_t i = 0; *low && text[i]; i++) {
        if (to_low(text[i]) != low[0] || !begins_part(text, i))
            continue;
        int score = score_from(text, i, low);
        best = score > best ? score : best;
    }
    return best;
}
