"""Writes references.json: what scipy 1.17, statsmodels 0.15 and Inspect compute on random data.

    pip install scipy statsmodels inspect-ai && python make_references.py > references.json
"""

import json
import random

import numpy
import statsmodels.api as sm
from inspect_ai.scorer import SampleScore, Score, pass_at, pass_k, stderr
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

rng = random.Random(20251122)


def mean_case():
    tasks = rng.randint(2, 60)
    clusters = None if rng.random() < 0.4 else [f"c{rng.randrange(max(2, tasks // 4))}" for _ in range(tasks)]
    if clusters is not None and len(set(clusters)) < 2:
        clusters[0] = "other"
    values = [rng.choice([0, 1, 0.25, round(rng.random(), 3)]) for _ in range(tasks)]
    groups = list(range(tasks)) if clusters is None else [sorted(set(clusters)).index(c) for c in clusters]
    fit = sm.OLS(numpy.array(values), numpy.ones(tasks)).fit(
        cov_type="cluster", cov_kwds={"groups": numpy.array(groups), "use_correction": True}
    )
    error = float(fit.bse[0])
    mean = float(numpy.mean(values))
    scores = [
        SampleScore(score=Score(value=v), sample_metadata={"cluster": str(g)}) for v, g in zip(values, groups)
    ]
    inspect_error = float(stderr(cluster="cluster")(scores))
    return {
        "tasks": [{"value": v, **({} if clusters is None else {"cluster": c})}
                  for v, c in zip(values, clusters or values)],
        "error": error, "inspect_error": inspect_error, "mean": mean,
    }


def share_case():
    tasks = rng.randint(1, 2000)
    hits = rng.randint(0, tasks)
    low, high = proportion_confint(hits, tasks, 0.05, method="wilson")
    return {"hits": hits, "tasks": tasks, "low": float(low), "high": float(high)}


def pass_case():
    n = rng.randint(1, 40)
    c = rng.randint(0, n)
    k = rng.randint(1, n)
    scores = [Score(value=1.0 if at < c else 0.0) for at in range(n)]
    return {"n": n, "c": c, "k": k, "at": float(pass_at(k)(scores).as_float()),
            "power": float(pass_k(k)(scores).as_float())}


def mcnemar_case():
    wins, losses = rng.randint(0, 300), rng.randint(0, 300)
    return {"wins": wins, "losses": losses,
            "p": float(mcnemar([[5, wins], [losses, 7]], exact=True).pvalue)}


def t_case():
    freedom = rng.choice([rng.randint(1, 40), rng.randint(40, 5000)])
    probability = rng.choice([0.975, 0.9, 0.995])
    return {"probability": probability, "freedom": freedom, "t": float(stats.t.ppf(probability, freedom))}


print(json.dumps({
    "means": [mean_case() for _ in range(20)],
    "shares": [share_case() for _ in range(40)],
    "passes": [pass_case() for _ in range(40)],
    "mcnemar": [mcnemar_case() for _ in range(20)],
    "quantiles": [t_case() for _ in range(40)],
}))
