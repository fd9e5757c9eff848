#!/usr/bin/env python3
"""Writes synthetic.swf: 600 jobs of every kind, in bursts, some of them broken. Run by hand; what it wrote is in the tree, so that
the tests need no particular version of its random numbers."""
import random

r = random.Random(20261121)
print("; A made-up load of 600 records on 64 processors, see made.py.")
print("; MaxProcs: 64")
t = 0
for i in range(1, 601):
    if r.random() < 0.7:
        t += r.choice([0, 0, 1, 7, 60, 400, r.randint(1, 2500)])
    procs = r.choice([1, 1, 2, 4, 8, 16, 32, 64, r.randint(1, 64)])
    run = int(r.lognormvariate(6.5, 1.6))
    limit = r.choice([300, 900, 3600, 3600, 14400, 43200, run, -1])
    if r.random() < 0.02:
        run = r.choice([-1, 0])
    asked = r.choice([procs, procs, procs, -1])
    user = r.randint(1, 9)
    print(f"{i} {t} -1 {run} {procs} -1 -1 {asked} {limit} -1 1 {user} {user % 3} -1 -1 -1 -1 -1")
