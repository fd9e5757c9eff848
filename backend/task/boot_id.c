/* boot_id.c - which start of the machine this is. */
#include <string.h>

#include "backend/task/proc.h"

void proc_boot_id(char buf[static BOOT_ID_SIZE])
{
    ssize_t n = proc_read_file("/proc/sys/kernel/random/boot_id", buf, BOOT_ID_SIZE);
    if (n < 0)
        n = 0;
    buf[n] = '\0';
    buf[strcspn(buf, "\n")] = '\0';
}
