"""A renderer (`renderers` 0.1) for trajectories of `coa_verifiers.py`: prompt by chat template, all behind it one text.

prime-rl samples and trains by it: no chat markup stands between steps, sampled tokens are kept as they were sampled, and
what the environment says is encoded once, as in rows for supervised training.
"""

from __future__ import annotations

from typing import Any, Literal

from renderers import DefaultRendererConfig
from renderers.base import ParsedResponse, RenderedTokens
from renderers.default import DefaultRenderer

from .coa_loop import end_ids, observation_ids

TURNS = 2
"""Turns of the prompt: system and user."""


class CoaRendererConfig(DefaultRendererConfig):
    name: Literal["custom"] = "custom"


class CoaRenderer(DefaultRenderer):
    config_class = CoaRendererConfig
    is_prefix_stable = True

    def render(
        self, messages: list[Any], *, tools: Any = None, add_generation_prompt: bool = False
    ) -> RenderedTokens:
        prompt = super().render(messages[:TURNS], add_generation_prompt=True)
        return self._behind(prompt.token_ids, prompt.message_indices, messages, TURNS)

    def render_ids(
        self, messages: list[Any], *, tools: Any = None, add_generation_prompt: bool = False
    ) -> list[int]:
        return self.render(messages).token_ids

    def bridge_to_next_turn(
        self, previous_prompt_ids: list[int], previous_completion_ids: list[int], new_messages: list[Any], **_: Any
    ) -> RenderedTokens:
        before = [*previous_prompt_ids, *previous_completion_ids]
        return self._behind(before, [-1] * len(before), new_messages, 0)

    def parse_response(self, token_ids: list[int], **_: Any) -> ParsedResponse:
        ids = token_ids[:-1] if token_ids and token_ids[-1] in self.get_stop_token_ids() else token_ids
        return ParsedResponse(content=self._tokenizer.decode(ids, skip_special_tokens=False))

    def get_stop_token_ids(self) -> list[int]:
        return sorted(end_ids(self._tokenizer))

    def _behind(self, ids: list[int], indices: list[int], messages: list[Any], first: int) -> RenderedTokens:
        ids, indices = list(ids), list(indices)
        for at, message in enumerate(messages[first:], first):
            text = message["content"] or ""
            if message["role"] == "assistant":
                added = self._tokenizer.encode(text, add_special_tokens=False)
            else:
                added = observation_ids(self._tokenizer, text)
            ids += added
            indices += [at] * len(added)
        return RenderedTokens(
            token_ids=ids, message_indices=indices, message_roles=[message["role"] for message in messages]
        )
