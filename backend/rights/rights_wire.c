#include "backend/rights/rights_wire.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/rights/rights_packet.h"

union one_fd {
    struct cmsghdr head;
    char space[CMSG_SPACE(sizeof(int))];
};

int rights_send_packet(int fd, const void *p, size_t n, int with)
{
    union one_fd c = {0};
    struct iovec part = {.iov_base = (void *)(uintptr_t)p, .iov_len = n};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    if (with >= 0) {
        m.msg_control = c.space;
        m.msg_controllen = sizeof c.space;
        struct cmsghdr *h = CMSG_FIRSTHDR(&m);
        *h = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof with), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(h), &with, sizeof with);
    }
    ssize_t r;
    while ((r = sendmsg(fd, &m, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return r == (ssize_t)n ? 0 : r < 0 ? -errno : -EIO;
}

ssize_t rights_receive_packet(int fd, void *p, size_t size, int *ret_with)
{
    union one_fd c = {0};
    struct iovec part = {.iov_base = p, .iov_len = size};
    struct msghdr m = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = c.space, .msg_controllen = sizeof c.space};
    ssize_t n;
    while ((n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    *ret_with = -1;
    const struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (h && h->cmsg_type == SCM_RIGHTS && h->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(ret_with, CMSG_DATA(h), sizeof(int));
    return n > 0 ? n : n == 0 || errno == ECONNRESET ? -EPIPE : -errno;
}

int rights_receive_request(int fd, struct rights_request *ret)
{
    int with;
    ssize_t n = rights_receive_packet(fd, ret, sizeof *ret, &with);
    if (with >= 0)
        close(with); /* none is asked for */
    if (n < 0)
        return (int)n;
    if ((size_t)n <= RIGHTS_REQUEST_HEAD || ret->devices.n > DEVICE_RULE_MAX)
        return -EBADMSG;
    /* Whatever came, it ends. */
    ((char *)ret)[n - 1] = '\0';
    ret->path[sizeof ret->path - 1] = '\0';
    ret->group[sizeof ret->group - 1] = '\0';
    ret->user[sizeof ret->user - 1] = '\0';
    ret->cluster[sizeof ret->cluster - 1] = '\0';
    return 0;
}

int rights_send_answer(int fd, struct rights_answer *a)
{
    int r = rights_send_packet(fd, a, RIGHTS_ANSWER_HEAD + strlen(a->text) + 1, a->fd);
    if (a->fd >= 0)
        close(a->fd);
    a->fd = -1;
    return r;
}
