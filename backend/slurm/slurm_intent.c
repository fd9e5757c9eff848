#include "backend/slurm/slurm_intent.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/dirs.h"
#include "src/os/file.h"

#define NUMBER_MAX 64
#define ANSWER_MAX 65536

static char *intent_state_dir(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state == '/')
        return xstrdup(state);
    if (home && *home == '/')
        return xasprintf("%s/.local/state", home);
    return xstrdup("/nonexistent"); /* who has no home has no state either */
}

char *slurm_intent_root(const char *server)
{
    char host[256] = "", *state = intent_state_dir();
    if (gethostname(host, sizeof host - 1) < 0 || strchr(host, '/') || *host == '.')
        host[0] = '\0';
    char *root = xasprintf("%s" SLURM_INTENT_DIR "%s/%s", state, *host ? host : "host", server);
    free(state);
    return root;
}

bool slurm_intent_is_number(const char *text)
{
    size_t n = text ? strlen(text) : 0;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '-')
            return false;
    return n && n <= NUMBER_MAX;
}

/* --- writing --- */

static int intent_sync_dir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int r = fd < 0 || fsync(fd) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return r;
}

static int intent_write_script(const struct slurm_intent *i, const struct blob *script)
{
    int fd = open(i->script, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0700);
    if (fd < 0)
        return -errno;
    int r = file_write_fd(fd, script->p, script->n);
    if (r == 0 && fsync(fd) < 0)
        r = -errno;
    close(fd);
    return r;
}

/* The lock goes first: what an sbatch that still runs has written is not touched. */
static int intent_open_answers(struct slurm_intent *i)
{
    char *out = xasprintf("%s/out", i->dir), *says = xasprintf("%s/says", i->dir);
    int r = 0;
    i->out_fd = open(out, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (i->out_fd < 0)
        r = -errno;
    else if (flock(i->out_fd, LOCK_EX | LOCK_NB) < 0)
        r = -EBUSY;
    else if ((i->says_fd = open(says, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)) < 0 ||
             ftruncate(i->out_fd, 0) < 0 || ftruncate(i->says_fd, 0) < 0 || fsync(i->out_fd) < 0)
        r = -errno;
    free(out);
    free(says);
    return r;
}

int slurm_intent_begin(const char *root, const char *number, const char *script_name,
                       const struct blob *script, struct slurm_intent *ret, struct errtext *err)
{
    struct slurm_intent i = {.number = xstrdup(number),
                             .dir = xasprintf("%s/%s", root, number),
                             .script = xasprintf("%s/%s/%s", root, number, script_name),
                             .out_fd = -1,
                             .says_fd = -1};
    int r = dirs_make(i.dir, 0700, 0700);
    r = r < 0 ? r : intent_open_answers(&i);
    r = r < 0 ? r : intent_write_script(&i, script);
    r = r < 0 ? r : intent_sync_dir(i.dir);
    r = r < 0 ? r : intent_sync_dir(root);
    if (r < 0) {
        err_set(err, r, "the submission cannot be noted in %s: %s", i.dir, strerror(-r));
        slurm_intent_fini(&i);
        return r;
    }
    *ret = i;
    return 0;
}

void slurm_intent_close(struct slurm_intent *i)
{
    if (i->out_fd >= 0)
        close(i->out_fd);
    if (i->says_fd >= 0)
        close(i->says_fd);
    i->out_fd = i->says_fd = -1;
}

void slurm_intent_fini(struct slurm_intent *i)
{
    slurm_intent_close(i);
    free(i->number);
    free(i->dir);
    free(i->script);
    *i = (struct slurm_intent){.out_fd = -1, .says_fd = -1};
}

/* --- reading --- */

static uint32_t intent_job_of_line(const char *line, size_t n)
{
    uint64_t job = 0;
    size_t digits = 0;
    for (; digits < n && isdigit((unsigned char)line[digits]) && digits < 10; digits++)
        job = job * 10 + (uint64_t)(line[digits] - '0');
    bool whole = digits && (digits == n || line[digits] == ';');
    return whole && job < UINT32_MAX ? (uint32_t)job : 0;
}

/* A line without its end may be a part of one. Wrappers of sbatch print lines of their own. */
uint32_t slurm_intent_job(const char *text)
{
    uint32_t job = 0;
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        uint32_t found = intent_job_of_line(line, (size_t)(end - line));
        job = found ? found : job;
    }
    return job;
}

static char *intent_text(const char *root, const char *number, const char *name)
{
    char *path = xasprintf("%s/%s/%s", root, number, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct str s = STR_INIT;
    if (fd >= 0) {
        (void)file_read_fd(fd, ANSWER_MAX, &s);
        close(fd);
    }
    free(path);
    return str_take(&s);
}

void slurm_intent_read(const char *root, const char *number, struct slurm_intent_state *ret)
{
    char *path = xasprintf("%s/%s/out", root, number);
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;
    *ret = (struct slurm_intent_state){.is_there = fd >= 0};
    free(path);
    if (fd >= 0) {
        ret->runs = flock(fd, LOCK_EX | LOCK_NB) < 0;
        if (fstat(fd, &st) == 0)
            ret->begun.ms = (int64_t)st.st_mtim.tv_sec * MS_PER_S;
        close(fd);
    }
    char *out = intent_text(root, number, "out");
    ret->job = slurm_intent_job(out);
    ret->says = intent_text(root, number, "says");
    free(out);
}

void slurm_intent_state_fini(struct slurm_intent_state *s)
{
    free(s->says);
    *s = (struct slurm_intent_state){0};
}

void slurm_intent_note(const char *root, const char *number, uint32_t job)
{
    char *path = xasprintf("%s/%s/out", root, number), text[16];
    int n = snprintf(text, sizeof text, "%u\n", job);
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        (void)!file_write_fd(fd, text, (size_t)n);
        close(fd);
    }
    free(path);
}

void slurm_intent_forget(const char *root, const char *number)
{
    char *path = xasprintf("%s/%s", root, number);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(path);
    free(path);
}

void slurm_intent_list(const char *root, struct strv *ret)
{
    DIR *d = opendir(root);
    *ret = (struct strv){0};
    for (struct dirent *e; d && (e = readdir(d));)
        if (slurm_intent_is_number(e->d_name))
            strv_push(ret, e->d_name);
    if (d)
        closedir(d);
}
