#!/usr/bin/env python3
"""Runs the scenarios of this folder and prints the tables of ../study.md.

    python3 docs/study/table.py target/release/sts

A ratio above 1 means that STS-Fairness is better. Ratios are taken seed by seed; the table shows their geometric mean and the 95 %
t-interval of the mean of their logarithms over the five seeds.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

T_4 = 2.776  # 97.5 % quantile of Student's t with four degrees of freedom
SCENARIOS = ["hetero-0.9", "hetero-1.3", "homog-0.9", "homog-1.3"]
BASELINES = ["fifo-backfill", "srtf", "las", "round-robin", "gandiva-fair", "themis", "gavel-max-min"]
# (title, metric, of STS-Fairness's row, whether smaller is better)
TABLES = [
    ("Mean JCT: baseline / mix", "jct_mean_s", "sts-mix", True),
    ("Mean JCT: baseline / throughput", "jct_mean_s", "sts-throughput", True),
    ("Makespan: baseline / throughput", "makespan_s", "sts-throughput", True),
    ("Worst finish-time rho: baseline / mix", "ftf_rho_max", "sts-mix", True),
    ("Floor violations: mix / baseline, in service", "floor_violations", "sts-mix", False),
]
FIGURES = ["jct_mean_s", "floor_violations", "floor_violations_own", "floor_shortfall", "price_of_fairness_mean",
           "solver_gap_mean", "solver_gap_max", "migrations"]


def runs(sts, name):
    """Metrics by (policy, seed)."""
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([sts, "run", here / f"{name}.json", "--out", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        summary = json.loads((Path(out) / "summary.json").read_text())
    return {(r["policy"], r["seed"]): r["metrics"] for r in summary["runs"]}


def interval(ratios):
    logs = [math.log(r) for r in ratios]
    mean = sum(logs) / len(logs)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in logs) / (len(logs) - 1))
    half = T_4 * deviation / math.sqrt(len(logs))
    return f"{math.exp(mean):.2f} [{math.exp(mean - half):.2f}, {math.exp(mean + half):.2f}]"


def main():
    found = {name: runs(sys.argv[1], name) for name in SCENARIOS}
    seeds = sorted({seed for _, seed in found[SCENARIOS[0]]})
    for title, metric, ours, smaller in TABLES:
        print(f"**{title}**\n\n| | {' | '.join(SCENARIOS)} |\n|---|{'---|' * len(SCENARIOS)}")
        for baseline in BASELINES:
            cells = []
            for name in SCENARIOS:
                pairs = [(found[name][baseline, s][metric], found[name][ours, s][metric]) for s in seeds]
                ratios = [b / a if smaller else a / b for b, a in pairs if a and b]
                cells.append(interval(ratios) if len(ratios) == len(seeds) else "-")
            print(f"| {baseline} | {' | '.join(cells)} |")
        print()
    print(f"**Means over the seeds**\n\n| scenario | policy | {' | '.join(FIGURES)} |\n|---|---|{'---|' * len(FIGURES)}")
    for name in SCENARIOS:
        for policy in [*BASELINES, "sts-mix", "sts-throughput"]:
            cells = []
            for figure in FIGURES:
                values = [found[name][policy, s][figure] for s in seeds]
                cells.append("-" if any(v is None for v in values) else f"{sum(values) / len(values):.4g}")
            print(f"| {name} | {policy} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
