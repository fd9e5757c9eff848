/* color.h - colours, and what they become on a terminal that has fewer. Pure. */
#ifndef UI_THEME_COLOR_H
#define UI_THEME_COLOR_H

#include <stdint.h>

/* A colour is 0: the terminal's own; 1..256: one of its palette, counted from 1, of which the first sixteen
 * are the user's; COLOR_RGB | 0xrrggbb. */
#define COLOR_RGB   0x1000000u
#define COLORS_TRUE (1 << 24) /* what a terminal has that takes any colour */

/* The colour of the palette of 256 or of 16 that is like it; one that fits already stays. */
uint32_t color_limit(uint32_t color, int colors);
/* Red, green and blue of any colour but 0; of the sixteen what they are on many terminals. */
uint32_t color_rgb(uint32_t color);
/* percent of a, the rest of b. */
uint32_t color_mix(uint32_t a, uint32_t b, int percent);

#endif
