"""Plays the rollout loop for a few tasks, without training, and prints each as a line of JSON (`coa-distill rl check`).

    python coa_check.py REQUEST.json
    python coa_check.py --ping [--max-generations N]   asks the server of COA_RL_URL, as the machine of a job sees it,
                                                       and ends where it allows another number of generations

The engine is a script that calls a tool once and then answers, or a small model by transformers on this machine.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from coa_loop import Environment, Rollout, RolloutFailure, Sampled, Sampler, play


async def ping(max_generations: int | None) -> None:
    environment = Environment(retries=2)
    try:
        described = await environment.describe()
    except RolloutFailure as failure:
        raise SystemExit(f"coa-distill: the environment server can't be used from this machine: {failure}") from None
    finally:
        await environment.close()
    steps = described["limits"]["max_steps"]
    if max_generations not in (None, steps):
        raise SystemExit(
            f"coa-distill: the environment server can't be used: it ends a trajectory after {steps} generations "
            f"(rl.limits.max_steps), and the job's limit is {max_generations}"
        )
    print(f"coa-distill: {environment.url} serves {described['tasks']} tasks of {described['dataset']}", flush=True)


def scripted(tokenizer: Any, turns: list[str]) -> Sampler:
    rest = list(turns)

    async def sample(ids: list[int], stops: list[str], most: int) -> Sampled:
        text = rest.pop(0) if rest else tokenizer.eos_token
        return Sampled(tokenizer.encode(text, add_special_tokens=False)[:most])

    return sample


def sampled_by(model: Any, tokenizer: Any) -> Sampler:
    """One token after the other, so that nothing stands behind a stop text."""
    import torch

    async def sample(ids: list[int], stops: list[str], most: int) -> Sampled:
        new: list[int] = []
        cache, feed = None, torch.tensor([ids])
        while len(new) < most:
            with torch.no_grad():
                output = model(feed, past_key_values=cache, use_cache=True)
            cache = output.past_key_values
            new.append(int(torch.multinomial(torch.softmax(output.logits[0, -1].float(), -1), 1)))
            feed = torch.tensor([new[-1:]])
            # Stop texts are shorter than this.
            text = tokenizer.decode(new[-24:], skip_special_tokens=False)
            if new[-1] == tokenizer.eos_token_id or any(stop in text for stop in stops):
                break
        return Sampled(new)

    return sample


def shown(rollout: Rollout, tokenizer: Any) -> dict[str, Any]:
    """Every token with its mask; a character of several tokens is shown as their bytes."""
    return {
        "prompt_tokens": len(rollout.prompt_ids),
        "tokens": [
            [tokenizer.decode([token], skip_special_tokens=False), mask]
            for token, mask in zip(rollout.response_ids, rollout.mask)
        ],
        "end": rollout.end_reason,
        "answer": rollout.answer,
        "score": rollout.score,
        "parts": rollout.parts,
        "calls": rollout.calls,
    }


async def check(request: dict[str, Any]) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(request["tokenizer"])
    model = AutoModelForCausalLM.from_pretrained(request["model"]).eval() if request["model"] else None
    environment = Environment(retries=2)
    for task in request["tasks"]:
        prompt = tokenizer.apply_chat_template(
            task["prompt"], add_generation_prompt=True, tokenize=True, return_dict=False
        )
        line: dict[str, Any] = {"task_id": task["task_id"]}
        try:
            rollout = await play(
                task_id=task["task_id"],
                profile=task["profile"],
                prompt_ids=prompt,
                sample=sampled_by(model, tokenizer) if model else scripted(tokenizer, task["turns"]),
                environment=environment,
                tokenizer=tokenizer,
                max_response_tokens=request["max_response_tokens"],
            )
            line |= shown(rollout, tokenizer)
        except RolloutFailure as failure:
            line["failure"] = str(failure)
        print(json.dumps(line), flush=True)
    await environment.close()


if __name__ == "__main__":
    if sys.argv[1] == "--ping":
        asyncio.run(ping(int(sys.argv[3]) if sys.argv[2:3] == ["--max-generations"] else None))
    else:
        with open(sys.argv[1], encoding="utf-8") as file:
            asyncio.run(check(json.load(file)))
