#!/usr/bin/env python3
"""A small training that behaves like a big one: epochs with a loss, checkpoints, and a restart that goes on.

Two moons, a net with one hidden layer, plain Python. It saves after each epoch and when it is told to end (SIGTERM, as before a
preemption or the time limit), and a second start continues at the epoch after the last one saved.
"""

import argparse
import json
import math
import os
import random
import signal
import sys
import time


def two_moons(rng, n):
    points = []
    for i in range(n):
        angle, upper = math.pi * rng.random(), i % 2 == 0
        x = math.cos(angle) if upper else 1 - math.cos(angle)
        y = math.sin(angle) if upper else 0.5 - math.sin(angle)
        points.append(((x + rng.gauss(0, 0.1), y + rng.gauss(0, 0.1)), 1.0 if upper else 0.0))
    return points


class Net:
    """Two inputs, tanh, one logistic output."""

    def __init__(self, rng, hidden):
        self.w1 = [[rng.gauss(0, 1), rng.gauss(0, 1)] for _ in range(hidden)]
        self.b1 = [0.0] * hidden
        self.w2 = [rng.gauss(0, 1) / hidden**0.5 for _ in range(hidden)]
        self.b2 = 0.0

    def forward(self, x):
        h = [math.tanh(w[0] * x[0] + w[1] * x[1] + b) for w, b in zip(self.w1, self.b1)]
        z = sum(w * v for w, v in zip(self.w2, h)) + self.b2
        return h, 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))

    def learn(self, x, y, rate):
        h, p = self.forward(x)
        g = p - y
        for k, v in enumerate(h):
            gh = g * self.w2[k] * (1 - v * v)
            self.w2[k] -= rate * g * v
            self.w1[k][0] -= rate * gh * x[0]
            self.w1[k][1] -= rate * gh * x[1]
            self.b1[k] -= rate * gh
        self.b2 -= rate * g
        return -math.log(max(1e-12, p if y else 1 - p))

    def accuracy(self, points):
        return sum((self.forward(x)[1] > 0.5) == (y > 0.5) for x, y in points) / len(points)


def save(path, epoch, net):
    """All or nothing: a kill in the middle leaves the checkpoint of before."""
    tmp = f"{path}.{os.getpid()}.tmp"
    with open(tmp, "w") as f:
        json.dump({"epoch": epoch, "net": vars(net)}, f)
        f.flush()
        os.fsync(f.fileno())
    os.replace(tmp, path)


def load(path, net):
    try:
        with open(path) as f:
            saved = json.load(f)
    except FileNotFoundError:
        return 0
    vars(net).update(saved["net"])
    return saved["epoch"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=3.0, help="about how long the whole training takes")
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--hidden", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--checkpoint", default="", help="file to save to and to go on from")
    args = parser.parse_args()

    rank = os.environ.get("SLURM_PROCID", "0")
    gpus = os.environ.get("CUDA_VISIBLE_DEVICES")
    shown = "not set" if gpus is None else gpus or "none"
    print(f"job {os.environ.get('SLURM_JOB_ID', '-')} rank {rank} on {os.uname().nodename}: GPUs {shown}", flush=True)

    rng = random.Random(args.seed)
    net, points = Net(rng, args.hidden), two_moons(rng, 400)
    first = load(args.checkpoint, net) if args.checkpoint else 0
    if first:
        print(f"going on after epoch {first}", flush=True)

    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(True))
    for epoch in range(first + 1, args.epochs + 1):
        began = time.monotonic()
        rng.shuffle(points)
        loss = sum(net.learn(x, y, args.rate) for x, y in points) / len(points)
        print(f"epoch {epoch:3d}/{args.epochs}  loss {loss:.4f}  accuracy {net.accuracy(points):.3f}", flush=True)
        if args.checkpoint:
            save(args.checkpoint, epoch, net)
        while not stop and time.monotonic() - began < args.seconds / args.epochs:
            time.sleep(0.02)
        if stop:
            print(f"told to end: saved after epoch {epoch}", flush=True)
            return 143
    print(f"done: accuracy {net.accuracy(points):.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
