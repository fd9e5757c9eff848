/* rights_ask.c - the agent's side of the wire: requests go out, answers come. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backend/rights/rights_packet.h"
#include "backend/rights/rights_wire.h"

int rights_send_request(int fd, const struct rights_request *q)
{
    return rights_send_packet(fd, q, RIGHTS_REQUEST_HEAD + strlen(q->path) + 1, -1);
}

int rights_receive_answer(int fd, struct rights_answer *ret)
{
    int with;
    ssize_t n = rights_receive_packet(fd, ret, sizeof *ret, &with);
    bool ok = n > (ssize_t)RIGHTS_ANSWER_HEAD;
    if (!ok && with >= 0)
        close(with);
    if (!ok)
        return n < 0 ? (int)n : -EBADMSG;
    ((char *)ret)[n - 1] = '\0';
    ret->text[sizeof ret->text - 1] = '\0';
    ret->fd = with;
    return 0;
}
