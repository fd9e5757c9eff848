/* faults.c - runs a command and prints how many page faults it had that needed no disk.
 *
 *     faults PROGRAM ARG0 [ARG...]     PROGRAM is started under the name ARG0
 *
 * The command's standard output goes to standard error. Fails where the command failed.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage use;
    int status = -1;
    if (argc < 3)
        return 2;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execv(argv[1], argv + 2);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &use) != pid || status != 0)
        return 1;
    printf("%ld\n", use.ru_minflt);
    return 0;
}
