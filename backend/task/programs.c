#include "backend/task/programs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "src/os/exe_path.h"

void programs_hold(void)
{
    char *dir = exe_path_dir();
    int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(dir);
    if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0)
        close(fd); /* else it stays open as long as we live */
}
