/* sim_net.h - streams between the controller and the models of agents and clients.
 *
 * The controller's end is a real Unix socket; the other end is the world's, which carries the bytes on when
 * the clock says so. Each direction keeps its order and has a delay; a stream can stall, go silent without
 * an end (half-open) or be cut with bytes under way.
 */
#ifndef STOKER_TESTS_VOPR_SIM_NET_H
#define STOKER_TESTS_VOPR_SIM_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream;

struct stream_ops {
    void (*on_bytes)(void *ctx, struct stream *s, const uint8_t *p, size_t n);
    /* Over; s is freed after the call. Not called by net_close. */
    void (*on_close)(void *ctx, struct stream *s);
};

/* A client calls the controller. NULL: nothing listens. */
struct stream *net_connect(const char *path, const struct stream_ops *ops, void *ctx);

/* An agent listens at path for the controller. */
struct listener;
typedef void (*accept_fn)(void *ctx, struct stream *s);
struct listener *net_listen(const char *path, accept_fn fn, void *ctx);
/* Nothing listens there any more. NULL is fine. */
void net_unlisten(struct listener *l);
void net_set_ops(struct stream *s, const struct stream_ops *ops, void *ctx);

/* The controller's end is open. */
bool net_is_open(const struct stream *s);
void net_send(struct stream *s, const void *p, size_t n);
/* The model's end closes; s is gone. NULL is fine. */
void net_close(struct stream *s);

/* Takes what the controller has written and whom it has called; after each of its turns. */
void net_collect(void);
/* The controller's process has died: what it wrote last may have left or not. Its ends are closed. */
void net_controller_died(void);

/* --- weather --- */

/* How long bytes are under way from now on. */
void net_set_delay(int64_t min_us, int64_t max_us);
/* One of these happens to one stream. */
void net_disturb(void);
/* No stream stalls or is half-open any more. */
void net_calm(void);
void net_reset(void);

#endif
