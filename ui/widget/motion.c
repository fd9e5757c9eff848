/* motion.c - lines, half pages, pages, all. */
#include "ui/widget/motion.h"

bool motion_of(enum action a, int height, long n, long *ret_by)
{
    long page = height > 1 ? height - 1 : 1, half = page / 2 + 1;
    if (a == ACTION_UP)
        *ret_by = -1;
    else if (a == ACTION_DOWN)
        *ret_by = 1;
    else if (a == ACTION_PAGE_UP)
        *ret_by = -page;
    else if (a == ACTION_PAGE_DOWN)
        *ret_by = page;
    else if (a == ACTION_HALF_UP)
        *ret_by = -half;
    else if (a == ACTION_HALF_DOWN)
        *ret_by = half;
    else if (a == ACTION_TOP)
        *ret_by = -n;
    else if (a == ACTION_BOTTOM)
        *ret_by = n;
    else
        return false;
    return true;
}
