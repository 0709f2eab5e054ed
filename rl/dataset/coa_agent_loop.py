"""verl's agent loop for Chain-of-Agents rollouts: `coa_loop.py` with verl's engine and its kind of output.

Named with its settings in `agent.yaml`. It is not decorated with verl's `@register`: that would replace the entry of the
file, settings and all, as soon as this module is imported.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from coa_loop import Environment, RolloutFailure, Sampled, note_failure, play, segments_of
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput
from verl.utils.profiler import simple_timer

environments: dict[tuple[Any, ...], Environment] = {}


def environment_of(*settings: Any) -> Environment:
    """One client for all trajectories of a process: verl makes a loop object for each of them."""
    if settings not in environments:
        environments[settings] = Environment(None, *settings)
    return environments[settings]


class CoaAgentLoop(AgentLoopBase):
    """Plays one trajectory. A failure is raised: verl leaves the trajectory out of its group."""

    def __init__(self, *args: Any, retries: int = 5, timeout_s: float = 900, pause_s: float = 1, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.settings = (retries, timeout_s, pause_s)

    def _cap_text_prompt_length(self, prompt_ids: list[int]) -> list[int]:
        """verl would cut a long prompt from the left, instructions first."""
        if len(prompt_ids) > self.rollout_config.prompt_length:
            most = self.rollout_config.prompt_length
            raise RolloutFailure("prompt", "too_long", f"{len(prompt_ids)} tokens, max_prompt_length is {most}")
        return prompt_ids

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> AgentLoopOutput:
        extra_info = kwargs.get("extra_info") or {}
        task_id = str(extra_info["index"])
        metrics: dict[str, float] = {}
        steps: list[tuple[Any, Any]] = []
        request_id = uuid4().hex

        async def sample(ids: list[int], stops: list[str], most: int) -> Sampled:
            with simple_timer("generate_sequences", metrics):
                output = await self.server_manager.generate(
                    request_id=request_id, prompt_ids=ids, sampling_params=self._sampling(sampling_params, stops, most)
                )
            steps.append((output.extra_fields.get("min_global_steps"), output.extra_fields.get("max_global_steps")))
            return Sampled(list(output.token_ids), output.log_probs, output.stop_reason)

        try:
            rollout = await play(
                task_id=task_id,
                profile=extra_info.get("profile"),
                prompt_ids=await self.ct_build_initial_tokens(list(kwargs["raw_prompt"])),
                sample=sample,
                environment=environment_of(*self.settings),
                tokenizer=self.tokenizer,
                max_response_tokens=self.rollout_config.response_length,
            )
        except RolloutFailure as failure:
            note_failure(failure, task_id, kwargs.get("global_steps"))
            raise
        metrics["tool_calls"] = rollout.tool_seconds
        return AgentLoopOutput(
            prompt_ids=rollout.prompt_ids,
            response_ids=rollout.response_ids,
            response_mask=rollout.mask,
            response_logprobs=rollout.logprobs if sampling_params.get("logprobs") else None,
            num_turns=rollout.generations + rollout.calls + 1,
            metrics=metrics,
            extra_fields={
                "coa_task_id": task_id,
                "coa_segments": segments_of(rollout.pieces),
                "coa_answer": rollout.answer,
                "coa_score": rollout.score,
                "coa_parts": rollout.parts,
                "coa_end": rollout.end_reason,
                "coa_calls": rollout.calls,
                "coa_events": rollout.events,
                # verl's own: without the versions of the weights its trainer stops after the first update.
                "min_global_steps": steps[0][0],
                "max_global_steps": steps[-1][1],
                "turn_scores": [],
                "tool_rewards": [],
            },
        )

    def _sampling(self, params: dict[str, Any], stops: list[str], most: int) -> dict[str, Any]:
        """Engines spell "keep the stop text" in their own ways, and refuse what they don't know."""
        keep = "no_stop_trim" if self.rollout_config.name == "sglang" else "include_stop_str_in_output"
        return {**params, keep: True, "stop": stops, "max_tokens": most}
