/* bundle.c - the programs for other machines, mapped and named by content. */
#include "src/carry/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/base/xalloc.h"

/* FNV-1a with 128 bits: tells releases apart. The cache on the node belongs to the one who logs in, so
 * there is no attacker that a stronger hash would stop. */
struct digest {
    unsigned __int128 h;
};

static const struct digest digest_init = {((unsigned __int128)0x6c62272e07bb0142u << 64) |
                                          0x62b821756295c58du};

static void digest_add(struct digest *d, const void *p, size_t n)
{
    const unsigned __int128 prime = ((unsigned __int128)1 << 88) | 0x13b;
    const uint8_t *b = p;
    for (size_t i = 0; i < n; i++)
        d->h = (d->h ^ b[i]) * prime;
}

static int map_file(struct bundle_file *f, const char *dir, struct errtext *err)
{
    char *path = xasprintf("%s/%s", dir, f->name);
    int fd = open(path, O_RDONLY | O_CLOEXEC), r = 0;
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0) {
        r = err_set(err, -errno, "%s: %s", path, strerror(errno));
    } else {
        f->n = (size_t)st.st_size;
        void *p = f->n ? mmap(NULL, f->n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
        if (p == MAP_FAILED)
            r = err_set(err, -EIO, "%s: cannot be read", path);
        else
            f->p = p;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    return r;
}

static int bundle_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* sbatch and srun are links to stoker-batch here, which stays here: the names are stoker's too. */
static bool leads_to_stoker(const char *target)
{
    return strcmp(target, "stoker") == 0 || strcmp(target, "stoker-batch") == 0;
}

/* Every link to `stoker` in dir is a name of it. */
static void find_names(struct bundle *k, const char *dir)
{
    DIR *d = opendir(dir);
    char target[PATH_MAX];
    for (const struct dirent *e; d && (e = readdir(d));) {
        ssize_t n = readlinkat(dirfd(d), e->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        if (leads_to_stoker(target) &&
            strspn(e->d_name, "abcdefghijklmnopqrstuvwxyz-") == strlen(e->d_name))
            strv_push(&k->names, e->d_name);
    }
    if (d)
        closedir(d);
    if (k->names.n)
        qsort(k->names.v, k->names.n, sizeof *k->names.v, bundle_compare);
}

int bundle_open(struct bundle *k, const char *dir, const char *const *files, struct errtext *err)
{
    struct utsname u;
    *k = (struct bundle){0};
    struct digest d = digest_init;
    for (; files[k->n_files]; k->n_files++) {
        bug_on(k->n_files == BUNDLE_FILES);
        struct bundle_file *f = &k->files[k->n_files];
        f->name = files[k->n_files];
        int r = map_file(f, dir, err);
        if (r < 0) {
            bundle_close(k);
            return r;
        }
        digest_add(&d, f->name, strlen(f->name) + 1);
        digest_add(&d, f->p, f->n);
    }
    if (bundle_find(k, "stoker"))
        find_names(k, dir);
    for (size_t i = 0; i < k->names.n; i++)
        digest_add(&d, k->names.v[i], strlen(k->names.v[i]) + 1);
    snprintf(k->id, sizeof k->id, "%016llx%016llx", (unsigned long long)(d.h >> 64),
             (unsigned long long)d.h);
    uname(&u);
    snprintf(k->arch, sizeof k->arch, "%s", u.machine);
    return 0;
}

void bundle_close(struct bundle *k)
{
    for (size_t i = 0; i < BUNDLE_FILES; i++)
        if (k->files[i].p)
            munmap((void *)(uintptr_t)k->files[i].p, k->files[i].n);
    strv_fini(&k->names);
    *k = (struct bundle){0};
}

const struct bundle_file *bundle_find(const struct bundle *k, const char *name)
{
    for (size_t i = 0; i < k->n_files; i++)
        if (strcmp(k->files[i].name, name) == 0)
            return &k->files[i];
    return NULL;
}
