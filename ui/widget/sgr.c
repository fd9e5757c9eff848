/* sgr.c - the colours that a program gives its text. */
#include "ui/widget/sgr.h"

#include <stdint.h>

#define PARAMS_MAX 32

/* One of the sixteen that is like it, counted from 1: grey by its light, else the parts that are strong. */
static uint8_t like(unsigned r, unsigned g, unsigned b)
{
    unsigned max = r > g ? r : g, min = r < g ? r : g;
    max = b > max ? b : max;
    min = b < min ? b : min;
    if (max - min < 40)
        return max < 50 ? 1 : max < 140 ? 9 : max < 220 ? 8 : 16;
    unsigned half = (max + min) / 2;
    unsigned bits = (r > half ? 1u : 0) | (g > half ? 2u : 0) | (b > half ? 4u : 0);
    return (uint8_t)(1 + bits + (max > 210 ? 8 : 0));
}

/* One of the 256: the sixteen, a cube of 6 x 6 x 6, and greys. */
static uint8_t of_256(unsigned n)
{
    static const unsigned steps[] = {0, 95, 135, 175, 215, 255};
    if (n < 16)
        return (uint8_t)(n + 1);
    if (n >= 232)
        return like(8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10);
    n -= 16;
    return like(steps[n / 36], steps[n / 6 % 6], steps[n % 6]);
}

/* 38 and 48 have parameters of their own. Returns how many of the n at p it takes. */
static size_t extended(const unsigned *p, size_t n, uint8_t *ret)
{
    if (n >= 3 && p[1] == 5) {
        if (p[2] < 256)
            *ret = of_256(p[2]);
        return 3;
    }
    if (n >= 5 && p[1] == 2) {
        if (p[2] < 256 && p[3] < 256 && p[4] < 256)
            *ret = like(p[2], p[3], p[4]);
        return 5;
    }
    return n;
}

static void apply_one(struct ink *ink, unsigned p)
{
    if (p == 0)
        *ink = (struct ink){0};
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
        ink->fg = (uint8_t)(p - 29);
    else if (p == 39)
        ink->fg = 0;
    else if (p >= 40 && p <= 47)
        ink->bg = (uint8_t)(p - 39);
    else if (p == 49)
        ink->bg = 0;
    else if (p >= 90 && p <= 97)
        ink->fg = (uint8_t)(p - 81);
    else if (p >= 100 && p <= 107)
        ink->bg = (uint8_t)(p - 91);
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

void sgr_apply(struct ink *ink, const char *params, size_t n)
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
