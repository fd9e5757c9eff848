/* sim.h - one simulated world: its clock, its random numbers, its history.
 *
 * Everything that happens follows from the seed: time is virtual, the controller runs in this process and
 * in no other thread, and whatever could differ between two runs (random numbers of the kernel, process
 * ids) comes from here. The history is a hash over every byte that travels and every note; the same seed
 * gives the same hash.
 *
 * State of the program as a whole: one world at a time.
 */
#ifndef STOKER_TESTS_VOPR_SIM_H
#define STOKER_TESTS_VOPR_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/loop/loop.h"

struct sim {
    uint64_t seed, dice, hash;
    int64_t now_ns;       /* CLOCK_BOOTTIME of the world */
    int64_t skew_ms;      /* how far the wall clock has been set */
    int64_t read_cost_ns; /* the clock advances by so much at each look of the controller at it */
    bool in_controller;   /* its code runs now */
    struct loop *world;   /* timers of everything that is not the controller */
};
extern struct sim sim;

void sim_begin(uint64_t seed);
void sim_end(void);

uint64_t sim_random(void);
/* 0 .. n - 1; n > 0. */
uint32_t sim_below(uint32_t n);
/* lo .. hi. */
int64_t sim_between(int64_t lo, int64_t hi);
bool sim_chance(unsigned per_mille);
/* Exponentially distributed, at least 1. */
int64_t sim_exponential(int64_t mean);

int64_t sim_now_ms(void);
/* Into the history. */
void sim_hash(const void *p, size_t n);
/* A line of the history; the last ones are printed where a check fails, all of them with VOPR_TRACE=1. */
void sim_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A promise has been broken: prints the seed and the last lines of the history, and ends the program. */
_Noreturn void sim_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* --- the loops (sim_loop.c stands in for backend/loop) --- */

/* Arms or moves a timer of the world, to the nanosecond. */
void sim_timer_at(struct loop_timer *t, int64_t at_ns);
/* A descriptor of it is ready. */
bool sim_loop_is_ready(const struct loop *l);

#endif
