/* sim_client.h - models of clients: one that submits and acts, one that audits, one that follows, and one
 * that follows the jobs of its own user.
 *
 * A client has one request under way. Where its connection is lost or no answer comes it connects again; a
 * submission is said again with the same request id until it is answered, other requests are dropped.
 */
#ifndef STOKER_TESTS_VOPR_SIM_CLIENT_H
#define STOKER_TESTS_VOPR_SIM_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

struct sim_client;

enum sim_client_kind { CLIENT_WORKS, CLIENT_AUDITS, CLIENT_FOLLOWS, CLIENT_FOLLOWS_OWN };

/* socket: the controller's. pause_ms: between two requests, on average. */
struct sim_client *sim_client_new(const char *socket, enum sim_client_kind kind, int64_t pause_ms);
void sim_client_free(struct sim_client *c);

/* From now on: no new submissions, and held jobs are released. */
void sim_client_wind_down(struct sim_client *c);
/* Its submission has been answered, or there is none. */
bool sim_client_is_settled(const struct sim_client *c);
/* n nodes, none of more CPUs and GPUs: what its jobs may ask for. */
void sim_client_set_cluster(struct sim_client *c, uint32_t nodes, uint32_t cpus, uint32_t gpus);

#endif
