"""verl's reward function: hands on the score that the environment server gave the trajectory in `coa_agent_loop.py`.

It never looks into `solution_str`, which holds what tools said beside what the model wrote.
"""

from __future__ import annotations

from typing import Any


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: dict[str, Any] | None = None, **_: Any
) -> dict[str, float]:
    info = extra_info or {}
    if info.get("coa_score") is None:
        raise ValueError("no score: rows of this dataset are played by coa_agent (agent_loop_config_path=agent.yaml)")
    # verl wants the same keys of every trajectory: what is not known is no number.
    parts = {f"part_{name}": _number(value) for name, value in sorted(info["coa_parts"].items())}
    return {"score": float(info["coa_score"]), "calls": float(info["coa_calls"]), **parts}


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
