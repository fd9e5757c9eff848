"""check_worlds.py - reads the schedules that test_worlds.c writes and says what is wrong with them.

It knows the state as JSON and the rules of docs/SCHEDULER.md, and shares no code with the planner:

    capacity      no CPU or GPU of a node is held twice, no node has more memory given than it has, an
                  exclusive job is alone, and one that shares with its user is beside no other user's
    partitions    a job starts on nodes of its partition that are up and not drained, as its features,
                  GPU type, -w and -x have it, within the partition's time limit and number of nodes
    tasks         the parts of a task lie on different nodes, and start all at once
    limits        running jobs of a user; what runs over a soft limit is borrowed; licences; throttles
    groups        a job with --switches=N starts on nodes of N groups, or has waited long enough
    dependencies  of all kinds, holds, begin times
    windows       a job that starts leaves every window alone, or lies in its own reservation
    plans         what runs and what is planned fits on each node at each time
    promises      a planned start moves behind the time that was promised only if a job has come since (the
                  slot then goes to the first job of the queue), for a higher tier, or if a node or a window
                  has changed; without predict_run_times it moves later for nothing else at all
"""
import json
import sys

UNLIMITED, NOT_SET, NONE = 2**32 - 1, 2**32 - 2, 2**64 - 1
PENDING, RUNNING, SUSPENDED, COMPLETING, COMPLETED = range(5)
FOREVER = 1 << 62
counts = {}


def numbers(text):
    """The set "0-3,7"."""
    found = set()
    for part in (text or "").split(","):
        if part:
            first, _, last = part.partition("-")
            found.update(range(int(first), int(last or first) + 1))
    return found


def allocations(job):
    """What it holds: (node, CPUs, GPUs, MiB)."""
    if job["kind"] != 1:
        own = job["alloc"] if job["holding"] else []
    else:
        own = [t["alloc"] for s in job["steps"] for t in s["tasks"] if t["state"] in (1, 2)]
    return [(a["node"], numbers(a["cpus"]), numbers(a["gpus"]), a["mem_mib"]) for a in own]


def running_tasks(job):
    return {(s["id"], t["index"]) for s in job["steps"] for t in s["tasks"] if t["state"] in (1, 2)}


def end_of(job):
    limit = job["time_limit_s"]
    return FOREVER if limit >= NOT_SET else job["t_start"] + limit * 1000


def licences(job):
    total = 0
    for part in (job["req"]["licenses"] or "").replace(";", ",").split(","):
        if part:
            total += int(part.partition(":")[2] or 1)
    return total


def is_met_by(sharing, others):
    """Whether (user, shares with that user alone) may be beside these."""
    return all(o[0] == sharing[0] or not (o[1] or sharing[1]) for o in others)


class World:
    def __init__(self, seed, spec):
        self.seed, self.spec, self.round = seed, spec, 0
        self.parts = {p["name"]: p for p in spec["parts"]}
        self.jobs, self.was, self.before = {}, {}, None
        self.promises, self.since, self.came, self.bad = {}, {}, {}, []

    def fail(self, text):
        self.bad.append(f"seed {self.seed}, round {self.round}: {text}")

    def count(self, what):
        counts[what] = counts.get(what, 0) + 1

    def read(self, state):
        for job in state["jobs"]:
            old = self.jobs.get(job["id"])
            again = old is None or (old["state"] != PENDING and job["state"] == PENDING)
            if again or (job["state"] == PENDING and old["req"] != job["req"]):
                self.came[job["id"]] = self.round
            self.jobs[job["id"]] = job
        if state["stage"] == "before":
            self.before = state
            self.was = dict(self.jobs)
            return
        self.check(state)
        self.round += 1

    def check(self, state):
        nodes = {n["spec"]["name"]: n for n in state["nodes"]}
        new = [self.jobs[i] for i in state["active"] if i not in self.before["active"]]
        self.capacity(state, nodes)
        for job in new:
            self.count("starts")
            self.place(job, state, nodes)
            self.windows(job, state)
            self.groups(job, state, nodes)
            self.eligible(job, state)
        for job in (self.jobs[i] for i in state["active"]):
            self.parts_of_tasks(job)
        self.limits(state, new)
        # A promise is as old as its planned start, also if the planner was not at rest in between.
        self.since = {p["job"]: self.since.get(p["job"], self.round) for p in state["plans"]}
        if state["rest"]:
            self.plans(state, nodes)
            self.keeps_promises(state, new + self.new_tasks(state))
        else:
            self.promises = {}

    def new_tasks(self, state):
        """Step jobs that had begun before and of which tasks have started since."""
        return [j for j in state["jobs"] if j["kind"] == 1 and j["id"] in self.before["active"] and
                running_tasks(j) - running_tasks(self.was[j["id"]])]

    def parts_of_tasks(self, job):
        before = running_tasks(self.was[job["id"]]) if job["id"] in self.was else set()
        for step in job["steps"] if job["kind"] == 1 else []:
            parts = {}
            for t in step["tasks"]:
                if t["state"] in (1, 2):
                    parts.setdefault(t["index"], []).append(t)
            for index, own in parts.items():
                which, nodes = [t["part"] for t in own], {t["alloc"]["node"] for t in own}
                new = (step["id"], index) not in before
                self.count("tasks over several nodes" if step["nodes"] > 1 else "tasks on one node")
                if len(nodes) < len(own):
                    self.fail(f"parts of task {index} of job {job['id']} are on one node: {sorted(nodes)}")
                if len(set(which)) < len(own) or max(which) >= step["nodes"] or \
                        (new and len(own) < step["nodes"]):
                    self.fail(f"task {index} of job {job['id']} has parts {which} of {step['nodes']}")

    def asks_for(self, job, partition):
        names = job["req"]["partition"] or self.spec["parts"][0]["name"]
        return not job["hold"] and partition in names.split(",")

    def tier(self, job):
        names = job["req"]["partition"] or self.spec["parts"][0]["name"]
        return max((self.parts[n]["priority_tier"] for n in names.split(",") if n in self.parts), default=-1)

    def level(self, job):
        """Of its QOS: the longest chain of QOS that it may preempt; there is one rule at most."""
        return max((len(q["preempt"]) for q in self.spec["qos"] if q["name"] == job["req"]["qos"]), default=0)

    def term(self, job):
        return max((q["priority"] for q in self.spec["qos"] if q["name"] == job["req"]["qos"]), default=0)

    def may_precede(self, rival, job, tier):
        """Whether a job that has come since may stand before it in the queue of that tier: false only if it
        certainly stands behind."""
        if self.tier(rival) != tier:
            return self.tier(rival) > tier
        if any(v < UNLIMITED for s in self.spec["limits"] for v in s["soft"].values()):
            return True  # the job may be over a soft limit, and then stands behind all others
        if self.level(rival) != self.level(job):
            return self.level(rival) > self.level(job)
        a, b, weights = rival["req"], job["req"], self.spec["priority"]
        ages = weights["weight_age"] and job["t_eligible"] != job["t_submit"]
        begun = rival["kind"] == 1 and rival["state"] != PENDING
        return begun or a["has_priority"] or b["has_priority"] or \
            a["nice"] < b["nice"] or self.term(rival) > self.term(job) or ages or \
            rival["t_submit"] < job["t_submit"]

    def sharing(self, job, partitions):
        """Whose it is, and whether it shares nodes with jobs of that user alone."""
        return job["user"], job["req"]["exclusive_user"] or any(self.parts[p]["exclusive_user"] for p in partitions)

    def capacity(self, state, nodes):
        held = {}
        for i in state["active"]:
            for at in allocations(self.jobs[i]):
                held.setdefault(at[0], []).append((i, at))
        for name, uses in held.items():
            node, cpus, gpus, mem = nodes[name], set(), set(), 0
            for i, (_, c, g, m) in uses:
                self.count("allocations")
                if (c & cpus or g & gpus) and not self.jobs[i]["req"]["overcommit"]:
                    self.fail(f"job {i} has CPUs or GPUs of {name} that another has")
                cpus, gpus, mem = cpus | c, gpus | g, mem + m
                if self.jobs[i]["req"]["exclusive"] and self.jobs[i]["kind"] != 1 and any(o != i for o, _ in uses):
                    self.fail(f"job {i} is not alone on {name}")
            there = {i: self.sharing(self.jobs[i], [self.jobs[i]["partition"]]) for i, _ in uses}
            for i, mine in there.items():
                self.count("nodes shared by one user" if mine[1] and len(there) > 1 else "nodes shared")
                if not is_met_by(mine, there.values()):
                    self.fail(f"job {i} is on {name} beside a job of another user")
            whole = cpus <= set(range(node["cpus"])) and gpus <= set(range(node["gpus"]))
            if not whole or mem > node["mem_mib"]:
                self.fail(f"{name} carries more than it has")

    def place(self, job, state, nodes):
        part, req = self.parts[job["partition"]], job["req"]
        i, names = job["id"], {a[0] for a in allocations(job)}
        asked = req["partition"].split(",") if req["partition"] else [self.spec["parts"][0]["name"]]
        if job["partition"] not in asked or part["state"] in (1, 3):
            self.fail(f"job {i} starts in partition {job['partition']}")
        if len(names) > part["max_nodes"] and job["kind"] != 1:
            self.fail(f"job {i} has {len(names)} nodes")
        if job["time_limit_s"] > part["max_time_s"]:
            self.fail(f"job {i} may run longer than its partition allows")
        for a in allocations(job):
            node = nodes[a[0]]
            if a[0] not in part["nodes"] or node["state"] != 1 or node["drain"]:
                self.fail(f"job {i} starts on {a[0]}")
            if req["features"] and req["features"] not in node["spec"]["features"]:
                self.fail(f"job {i} starts on {a[0]} without {req['features']}")
            if req["gpu_type"] and a[2] and not req["exclusive"] and (node["gpu_type"] or "").lower() != req["gpu_type"].lower():
                self.fail(f"job {i} has GPUs of another type on {a[0]}")
        if (req["exclude"] and req["exclude"] in names) or \
                (job["kind"] != 1 and req["nodelist"] and req["nodelist"] not in names):
            self.fail(f"job {i} starts on {names}: -w {req['nodelist']} -x {req['exclude']}")

    def groups(self, job, state, nodes):
        """With --switches=N: on nodes of N groups at most, until it has waited long enough."""
        req, groups = job["req"], {n["spec"]["group"] for n in nodes.values()}
        wait = min(req["switch_wait_s"] or UNLIMITED, self.spec["max_switch_wait_s"])
        if not req["switches"] or job["kind"] == 1 or groups == {None}:
            return
        mine = {nodes[a[0]]["spec"]["group"] for a in allocations(job)}
        bound = state["now"] < job["t_eligible"] + wait * 1000
        self.count("starts bound to groups" if bound else "starts after the wait for groups")
        if bound and len(mine) > req["switches"]:
            self.fail(f"job {job['id']} starts on {len(mine)} groups of nodes")

    def windows(self, job, state):
        now, end, names = state["now"], end_of(job), {a[0] for a in allocations(job)}
        for w in state["windows"]:
            over = w["end"] <= now or w["start"] >= end
            mine = w["kind"] == 1 and job["req"]["reservation"] == w["name"]
            there = names if w["nodes"] == ["ALL"] else names & set(w["nodes"])
            if mine:
                self.count("starts in reservations")
                if names != there or job["user"] not in w["users"] or w["start"] > now or end > w["end"]:
                    self.fail(f"job {job['id']} does not lie in its reservation {w['name']}")
            elif there and not over:
                self.fail(f"job {job['id']} starts in front of window {w['name']} on {there}")

    def is_met(self, job, text):
        kind, _, ids = text.partition(":")
        if kind == "singleton":
            return not any(o["id"] != job["id"] and o["user"] == job["user"] and
                           o["req"]["name"] == job["req"]["name"] and o["id"] in self.before["active"] and
                           o["state"] in (RUNNING, SUSPENDED, COMPLETING) for o in self.jobs.values())
        on = self.jobs.get(int(ids))
        if on is None or on["array_job"] or job["array_job"] or kind == "aftercorr":
            return True
        self.count("dependencies")
        ended = on["state"] >= COMPLETED
        return {"after": on["state"] != PENDING, "afterany": ended, "afterok": on["state"] == COMPLETED,
                "afternotok": ended and on["state"] != COMPLETED}[kind]

    def eligible(self, job, state):
        old, req = self.was.get(job["id"]), job["req"]
        if req["begin"] > state["now"] or (old and old["hold"]):
            self.fail(f"job {job['id']} starts before its time")
        if req["deadline"] and end_of(job) > req["deadline"]:
            self.fail(f"job {job['id']} may run past its deadline")
        if req["dependency"] and not (old and old["dep_met"]) and not self.is_met(job, req["dependency"]):
            self.fail(f"job {job['id']} starts before {req['dependency']}")
        record = self.was.get(job["array_job"])
        if record and record["req"]["array_throttle"]:
            self.count("throttles")
            n = sum(self.jobs[i]["array_job"] == job["array_job"] for i in state["active"])
            if n > record["req"]["array_throttle"]:
                self.fail(f"{n} elements of array {job['array_job']} run")

    def limits(self, state, new):
        active = [self.jobs[i] for i in state["active"]]
        used = sum(licences(j) for j in active if j["state"] in (RUNNING, SUSPENDED))
        if used > self.spec["licenses"][0]["count"]:
            self.fail(f"{used} licences are in use")
        for limit in self.spec["limits"]:
            for user in {j["user"] for j in new}:
                mine = [j for j in active if j["user"] == user]
                self.count("limits")
                if len(mine) > limit["hard"]["running_jobs"]:
                    self.fail(f"{len(mine)} jobs of {user} run")
                own = [a for j in mine if not j["borrowed"] for a in allocations(j)]
                over = sum(len(a[1]) for a in own) > limit["soft"]["cpus"] or \
                    sum(len(a[2]) for a in own) > limit["soft"]["gpus"]
                steps = any(j["kind"] == 1 for j in mine)  # borrowed by the task
                if over and not steps:
                    self.fail(f"{user} is over the soft limit with jobs that are not borrowed")

    def plans(self, state, nodes):
        skip = {p[0] for plan in state["plans"] if plan["preempts"] for p in plan["parts"]}
        for w in state["windows"]:
            skip |= set(nodes) if w["nodes"] == ["ALL"] else set(w["nodes"])
        uses = {}
        for i in state["active"]:
            job = self.jobs[i]
            for a in allocations(job):
                if job["state"] == COMPLETING:
                    skip.add(a[0])
                mine = self.sharing(job, [job["partition"]])
                uses.setdefault(a[0], []).append((0, end_of(job), len(a[1]), a[3], len(a[2]), mine))
        for plan in state["plans"]:
            for name, cpus, mem, gpus in plan["parts"]:
                mine = self.sharing(self.jobs[plan["job"]], [plan["partition"]])
                uses.setdefault(name, []).append((plan["start"], plan["end"], cpus, mem, gpus, mine))
        for plan in state["plans"]:
            if plan["start"] > plan["promised"] or \
                    (plan["start"] != plan["promised"] and not self.spec["predict_run_times"]):
                self.fail(f"job {plan['job']} is planned at {plan['start']}, promised at {plan['promised']}")
            if len({p[0] for p in plan["parts"]}) < len(plan["parts"]):
                self.fail(f"job {plan['job']} is planned twice on one node")
            for name in {p[0] for p in plan["parts"]} - skip:
                then = [u for u in uses[name] if u[0] <= plan["start"] < u[1]]
                node, total = nodes[name], [sum(u[k] for u in then) for k in (2, 3, 4)]
                self.count("plans")
                if plan["start"] > state["now"] and \
                        any(t > h for t, h in zip(total, (node["cpus"], node["mem_mib"], node["gpus"]))):
                    self.fail(f"more is planned on {name} than it has when job {plan['job']} is to start")
                mine = self.sharing(self.jobs[plan["job"]], [plan["partition"]])
                if plan["start"] > state["now"] and not is_met_by(mine, [u[5] for u in then]):
                    self.fail(f"job {plan['job']} is planned on {name} beside a job of another user")

    def keeps_promises(self, state, new):
        held = {p["job"]: p for p in state["plans"]}
        changed = {p["job"] for p in state["plans"]
                   if p["job"] not in self.promises or self.promises[p["job"]]["start"] != p["start"]}
        takes = [self.parts[j["partition"]]["priority_tier"] for j in new] + \
            [held[i]["tier"] for i in changed]
        moved = set(held) | {j["id"] for j in new} | {j["array_job"] for j in new}
        for i, plan in self.promises.items():
            job, since = self.jobs[i], self.was_since[i]
            if i in held and held[i]["promised"] == plan["promised"] and held[i]["start"] > plan["start"]:
                self.count("moves within a promise")
            quiet = not state["happened"] and not plan["preempts"] and job["state"] == PENDING
            begun = any(j["id"] == i or j["array_job"] == i for j in new)
            own = job["req"]["array_throttle"] or job["req"]["deadline"] or \
                "singleton" in (job["req"]["dependency"] or "")
            # One that has come since ends the promise, and the slot goes to the first of the queue again.
            rivals = {k for k in state["pending"] if self.asks_for(self.jobs[k], plan["partition"])} if changed else set()
            newest = max((self.came.get(k, 0) for k in moved | rivals
                          if k and k != i and self.may_precede(self.jobs[k], job, plan["tier"])), default=-1)
            if not quiet or begun or own or plan["start"] <= state["now"] or self.came[i] > since or \
                    newest > since or any(t > plan["tier"] for t in takes):
                continue
            self.count("promises")
            if i not in held or held[i]["promised"] > plan["promised"]:
                now = (held[i]["promised"] - state["now"]) // 1000 if i in held else "never"
                self.fail(f"job {i} was promised a start in {(plan['promised'] - state['now']) // 1000} s, "
                          f"now in {now}")
        if self.spec["backfill"] == 0:
            self.promises, self.was_since = held, self.since


def main():
    world, bad, worlds = None, [], 0
    for line in sys.stdin:
        state = json.loads(line)
        if state["stage"] == "cluster":
            bad += world.bad[:3] if world else []
            world = World(state["seed"], state["spec"])
            worlds += 1
        else:
            world.read(state)
    bad += world.bad[:3] if world else []
    for text in bad[:20]:
        print(text, file=sys.stderr)
    print(worlds, "worlds:", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    least = {"starts": 5, "plans": 1, "promises": 0.3, "limits": 1, "dependencies": 0.1, "moves within a promise": 0.05,
             "tasks over several nodes": 0.1}
    few = worlds >= 100 and any(counts.get(k, 0) < n * worlds for k, n in least.items())
    if few:
        print("too little has happened", file=sys.stderr)
    sys.exit(1 if bad or few else 0)


main()
