/* color.c - colours, and what they become on a terminal that has fewer. */
#include "ui/theme/color.h"

static const uint32_t sixteen[16] = {0x2e3440, 0xe06c75, 0x98c379, 0xe5c07b, 0x61afef, 0xc678dd,
                                     0x56b6c2, 0xd8dee9, 0x5c6370, 0xff7b86, 0xb5e890, 0xffd68a,
                                     0x82c4ff, 0xde9cf0, 0x7fd7e2, 0xffffff};
static const unsigned cube[6] = {0, 95, 135, 175, 215, 255};

static unsigned part_of(uint32_t rgb, int i)
{
    return rgb >> (16 - 8 * i) & 0xff;
}

uint32_t color_rgb(uint32_t color)
{
    if (color & COLOR_RGB || !color)
        return color & 0xffffff;
    unsigned n = (unsigned)color - 1;
    if (n < 16)
        return sixteen[n];
    if (n >= 232)
        return (8 + (n - 232) * 10) * 0x010101u;
    n -= 16;
    return cube[n / 36] << 16 | cube[n / 6 % 6] << 8 | cube[n % 6];
}

uint32_t color_mix(uint32_t a, uint32_t b, int percent)
{
    uint32_t mixed = 0, x = color_rgb(a), y = color_rgb(b);
    for (int i = 0; i < 3; i++)
        mixed = mixed << 8 |
                (part_of(x, i) * (unsigned)percent + part_of(y, i) * (unsigned)(100 - percent)) / 100;
    return COLOR_RGB | mixed;
}

/* One of the sixteen: grey by its light, else the parts that are strong. */
static uint32_t color_of_16(uint32_t rgb)
{
    unsigned r = part_of(rgb, 0), g = part_of(rgb, 1), b = part_of(rgb, 2);
    unsigned max = r > g ? r : g, min = r < g ? r : g;
    max = b > max ? b : max;
    min = b < min ? b : min;
    if (max - min < 40)
        return max < 50 ? 1 : max < 140 ? 9 : max < 220 ? 8 : 16;
    unsigned half = (max + min) / 2;
    unsigned bits = (r > half ? 1u : 0) | (g > half ? 2u : 0) | (b > half ? 4u : 0);
    return 1 + bits + (max > 210 ? 8 : 0);
}

static unsigned distance(uint32_t a, uint32_t b)
{
    unsigned sum = 0;
    for (int i = 0; i < 3; i++) {
        int d = (int)part_of(a, i) - (int)part_of(b, i);
        sum += (unsigned)(d * d);
    }
    return sum;
}

/* The nearest of the cube and of the greys. */
static uint32_t color_of_256(uint32_t rgb)
{
    unsigned at[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        unsigned v = part_of(rgb, i);
        at[i] = v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40;
        sum += v;
    }
    unsigned light = sum / 3, grey = light < 8 ? 0 : light > 238 ? 23 : (light - 3) / 10;
    uint32_t of_cube = 17 + 36 * at[0] + 6 * at[1] + at[2], of_greys = 233 + grey;
    return distance(rgb, color_rgb(of_greys)) < distance(rgb, color_rgb(of_cube)) ? of_greys : of_cube;
}

uint32_t color_limit(uint32_t color, int colors)
{
    if (!color || colors >= COLORS_TRUE || (color <= 16 && colors >= 16))
        return color;
    if (colors >= 256)
        return color & COLOR_RGB ? color_of_256(color & 0xffffff) : color;
    return color <= 16 ? color : color_of_16(color_rgb(color));
}
