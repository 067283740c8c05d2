#!/usr/bin/env python3
"""Compares `sts solve` with HiGHS, a general solver, on seeded random instances.

    highs.py path/to/sts [instances]

Every instance is solved twice: by `sts solve --policy sts-fairness`, and as a mixed-integer program by HiGHS (one
thread, no gap, tolerances of 1e-9). HiGHS finds every floor V_u(q_u) too. Its choices are rounded and checked again in
millionths, so that a tolerance never decides. Floors and optimum must be equal, to the millionth.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import highspy

MICRO = 1_000_000
# Compute slices, memory slices, places for a 2g, left halves: what a slice of an A100 takes, and what a device has.
SLICES = {1: (1, 1, 0, 0), 2: (2, 2, 1, 0), 3: (3, 4, 1, 0), 4: (4, 4, 2, 1), 7: (7, 8, 3, 1)}


class Type:
    """A GPU type as linear resources."""

    def __init__(self, spec):
        self.devices, self.slots = spec["devices"], spec["slots_per_device"]
        self.mig = spec["layout"] == "mig-a100"

    def usage(self, slots, devices):
        return [a * devices for a in SLICES[slots]] if self.mig else [slots * devices]

    def capacity(self, slots):
        return [a * slots // 7 for a in SLICES[7]] if self.mig else [slots]


def instance(rng, medium):
    """A random instance: uniform and strictly packed types, single jobs and gangs, weights in the quotas."""
    types = []
    for k in range(rng.choice([1, 2, 2, 3])):
        layout, slots = rng.choice([("uniform", 4), ("uniform", 7), ("mig-a100", 7), ("mig-a30", 4)])
        devices = rng.randint(4, 12) if medium else rng.randint(1, 4)
        types.append({"name": f"t{k}", "devices": devices, "slots_per_device": slots, "layout": layout})
    tenants, quotas = [], {}
    n = rng.randint(2, 6) if medium else rng.randint(1, 4)
    for u in range(n):
        jobs = []
        for j in range(rng.randint(4, 20) if medium else rng.randint(1, 7)):
            options = []
            gang = rng.random() < 0.15
            for t in rng.sample(types, rng.randint(1, len(types))):
                speed = rng.uniform(0.2, 1)
                if gang:
                    devices = rng.randint(1, min(4, t["devices"]))
                    options.append((t["name"], t["slots_per_device"], devices, speed * devices))
                    continue
                sizes = {7: [1, 2, 3, 4, 7], 4: [1, 2, 4]}[t["slots_per_device"]]
                rate = 0
                for size in sizes:
                    rate += rng.uniform(0.01, 0.5)
                    options.append((t["name"], size, 1, speed * rate))
            keys = ("type", "slots", "devices", "rate")
            jobs.append({"name": f"j{j}", "options": [dict(zip(keys, (*o[:3], round(o[3], 6)))) for o in options]})
        tenants.append({"name": f"u{u}", "weight": 1, "jobs": jobs})
        quotas[f"u{u}"] = {}
    for t in types:
        unit = 7 if t["layout"] == "mig-a100" else 1
        units = t["devices"] * t["slots_per_device"] // unit
        cuts = sorted(rng.randint(0, units) for _ in range(n - 1))
        for u, (a, b) in enumerate(zip([0, *cuts], [*cuts, units])):
            quotas[f"u{u}"][t["name"]] = (b - a) * unit
    return {"types": types, "tenants": tenants, "quotas": quotas}


def optimum(types, tenants, capacity, floors):
    """The optimum in millionths, by HiGHS. `capacity` has the resources of every type; `floors` are in millionths."""
    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    h.setOptionValue("threads", 1)
    for option in ("mip_rel_gap", "mip_abs_gap"):
        h.setOptionValue(option, 0.0)
    for option in ("mip_feasibility_tolerance", "primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        h.setOptionValue(option, 1e-9)
    inf, used, values, columns = highspy.kHighsInf, {}, [], []
    for u, tenant in enumerate(tenants):
        for job in tenant["jobs"]:
            own = []
            for o in job["options"]:
                column, value = len(columns), round(o["rate"] * MICRO)
                h.addCol(-value / MICRO, 0, 1, 0, [], [])
                h.changeColIntegrality(column, highspy.HighsVarType.kInteger)
                columns.append((u, value))
                own.append(column)
                for i, amount in enumerate(types[o["type"]].usage(o["slots"], o["devices"])):
                    used.setdefault((o["type"], i), []).append((column, amount))
            h.addRow(-inf, 1, len(own), own, [1] * len(own))
    for (name, i), terms in used.items():
        terms = [t for t in terms if t[1] > 0]
        if terms:
            h.addRow(-inf, capacity[name][i], len(terms), [t[0] for t in terms], [t[1] for t in terms])
    for u, floor in enumerate(floors):
        own = [(c, v) for c, (w, v) in enumerate(columns) if w == u]
        # Half a millionth of room for the arithmetic; checked in integers below.
        h.addRow(floor / MICRO - 0.5 / MICRO, inf, len(own), [c for c, _ in own], [v / MICRO for _, v in own])
    h.run()
    status = h.modelStatusToString(h.getModelStatus())
    assert status == "Optimal", status
    taken = [round(x) for x in h.getSolution().col_value]
    values = [0] * len(tenants)
    for (u, value), x in zip(columns, taken):
        values[u] += value * x
    assert all(v >= f for v, f in zip(values, floors)), "HiGHS misses a floor"
    return sum(values)


def main():
    sts, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "instance.json"
        binding = 0
        for seed in range(count):
            problem = instance(random.Random(seed), medium=seed % 4 == 3)
            path.write_text(json.dumps(problem))
            command = [sts, "solve", str(path), "--policy", "sts-fairness", "--json"]
            ours = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            types = {t["name"]: Type(t) for t in problem["types"]}
            floors = []
            for tenant in problem["tenants"]:
                quota = problem["quotas"][tenant["name"]]
                share = {name: t.capacity(quota[name]) for name, t in types.items()}
                floors.append(optimum(types, [tenant], share, [0]))
            whole = {name: t.capacity(t.devices * t.slots) for name, t in types.items()}
            best = optimum(types, problem["tenants"], whole, floors)
            free = optimum(types, problem["tenants"], whole, [0] * len(floors))
            binding += free > best
            assert ours["status"] == "optimal", f"seed {seed}: {ours['status']}"
            found = [round(t["floor"] * MICRO) for t in ours["tenants"]]
            assert found == floors, f"seed {seed}: floors {found}, HiGHS {floors}"
            assert round(ours["objective"] * MICRO) == best, f"seed {seed}: {ours['objective']}, HiGHS {best / MICRO}"
        assert binding > count // 10, f"floors bind in {binding} instances only"
        print(f"HiGHS agrees on {count} instances; floors bind in {binding} of them")


if __name__ == "__main__":
    main()
