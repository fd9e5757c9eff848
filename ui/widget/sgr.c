/* sgr.c - the colours that a program gives its text. */
#include "ui/widget/sgr.h"

#include <stdint.h>

#define PARAMS_MAX 32

/* 38 and 48 have parameters of their own. Returns how many of the n at p it takes. */
static size_t extended(const unsigned *p, size_t n, uint32_t *ret)
{
    if (n >= 3 && p[1] == 5) {
        if (p[2] < 256)
            *ret = p[2] + 1;
        return 3;
    }
    if (n >= 5 && p[1] == 2) {
        if (p[2] < 256 && p[3] < 256 && p[4] < 256)
            *ret = COLOR_RGB | p[2] << 16 | p[3] << 8 | p[4];
        return 5;
    }
    return n;
}

static void apply_one(struct style *ink, unsigned p)
{
    if (p == 0)
        *ink = (struct style){0};
    else if (p == 1)
        ink->attr |= STYLE_BOLD;
    else if (p == 2)
        ink->attr |= STYLE_DIM;
    else if (p == 4 || p == 21)
        ink->attr |= STYLE_UNDERLINE;
    else if (p == 7)
        ink->attr |= STYLE_REVERSE;
    else if (p == 22)
        ink->attr &= (uint8_t) ~(STYLE_BOLD | STYLE_DIM);
    else if (p == 24)
        ink->attr &= (uint8_t)~STYLE_UNDERLINE;
    else if (p == 27)
        ink->attr &= (uint8_t)~STYLE_REVERSE;
    else if (p >= 30 && p <= 37)
        ink->fg = p - 29;
    else if (p == 39)
        ink->fg = 0;
    else if (p >= 40 && p <= 47)
        ink->bg = p - 39;
    else if (p == 49)
        ink->bg = 0;
    else if (p >= 90 && p <= 97)
        ink->fg = p - 81;
    else if (p >= 100 && p <= 107)
        ink->bg = p - 91;
}

/* Returns how many there are; 0 if s is not a list of numbers. */
static size_t read_params(const char *s, size_t n, unsigned *ret)
{
    size_t k = 1;
    ret[0] = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == ';' || s[i] == ':') {
            if (k == PARAMS_MAX)
                return k;
            ret[k++] = 0;
        } else if (s[i] >= '0' && s[i] <= '9') {
            if (ret[k - 1] < 1000)
                ret[k - 1] = ret[k - 1] * 10 + (unsigned)(s[i] - '0');
        } else {
            return 0;
        }
    }
    return k;
}

void sgr_apply(struct style *ink, const char *params, size_t n)
{
    unsigned p[PARAMS_MAX];
    size_t k = read_params(params, n, p);
    for (size_t i = 0; i < k;) {
        if (p[i] == 38 || p[i] == 48) {
            i += extended(&p[i], k - i, p[i] == 38 ? &ink->fg : &ink->bg);
        } else {
            apply_one(ink, p[i]);
            i++;
        }
    }
    if (ink->fg && ink->fg == ink->bg) /* text must never be invisible */
        ink->bg = 0;
}
