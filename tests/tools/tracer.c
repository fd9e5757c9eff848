/* tracer.c - traces processes and lets them run: one that ends is not given to its parent as long as this
 * program lives, which is until its standard input ends.
 *
 *     tracer PID ...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (ptrace(PTRACE_SEIZE, (pid_t)atoi(argv[i]), NULL, NULL) < 0) {
            perror(argv[i]);
            return 1;
        }
    puts("traced");
    fflush(stdout);
    char c;
    while (read(0, &c, 1) > 0)
        ;
    return 0;
}
