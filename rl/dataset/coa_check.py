"""Asks the environment server of COA_RL_URL from a job's machine, before a GPU is used.

    python coa_check.py GENERATIONS   exits with an error where the server ends a trajectory after another number of them
"""

from __future__ import annotations

import asyncio
import sys

from coa_loop import Environment, RolloutFailure


async def check(generations: int) -> None:
    environment = Environment(retries=2)
    try:
        described = await environment.describe()
    except RolloutFailure as failure:
        raise SystemExit(f"coa-distill: the environment server can't be used from this machine: {failure}") from None
    finally:
        await environment.close()
    served = described["limits"]["max_steps"]
    if generations != served:
        raise SystemExit(
            f"coa-distill: the environment server can't be used: it ends a trajectory after {served} generations, "
            f"and the job's limit is {generations} (training.rl.max_generations)"
        )
    print(f"coa-distill: {environment.url} serves {described['tasks']} tasks of {described['dataset']}", flush=True)


if __name__ == "__main__":
    asyncio.run(check(int(sys.argv[1])))
