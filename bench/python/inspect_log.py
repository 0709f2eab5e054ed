"""One Inspect log of all benchmarks of an evaluation, with the profile of each sample and the events of its trace, which
our own logs lack: what Inspect View shows at its best.

Run with `.venv-inspect/bin/python bench/python/inspect_log.py runs/EVALUATION LOG.eval`.
"""

import json
import sys
from datetime import datetime
from pathlib import Path

from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput, ModelUsage


def event_of(event, messages):
    seconds = event["duration_ms"] / 1000
    when = {"timestamp": datetime.fromisoformat(event["started_at"]), "working_start": 0, "working_time": seconds}
    if event["type"] == "tool_call":
        call = {"id": event["id"], "function": event["tool"], "arguments": event["input"]}
        return ToolEvent(**call, result=str(event["observation"]), **when)
    usage = event["usage"] or {"prompt_tokens": 0, "completion_tokens": 0}
    tokens = [usage["prompt_tokens"], usage["completion_tokens"]]
    output = ModelOutput.from_content(event["model"], event["content"] or "")
    output.usage = ModelUsage(input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens))
    asked = [ChatMessageUser(content=str(messages[name]["content"])) for name in event["messages"]]
    rest = {"tools": [], "tool_choice": "auto", "config": GenerateConfig()}
    return ModelEvent(model=event["model"], role=event["role"], input=asked, output=output, **rest, **when)


evaluation, path = Path(sys.argv[1]), sys.argv[2]
logs = [read_eval_log(str(log)) for log in sorted(evaluation.glob("inspect/*.eval"))]
for log in logs:
    traces = {}
    for line in (evaluation / log.eval.task / "rollout/records.jsonl").open():
        for trace in json.loads(line)["records"]:
            traces[trace["task_id"], trace.get("rollout", 0) + 1] = trace
    for sample in log.samples:
        sample.metadata["profile"] = log.eval.task
        trace = traces.get((sample.id, sample.epoch))
        if trace:
            kinds = ("agent_call", "tool_call")
            sample.events = [event_of(one, trace["messages"]) for one in trace["events"] if one["type"] in kinds]
            sample.total_time = trace["totals"]["duration_ms"] / 1000
first, *others = logs
first.samples += [sample for log in others for sample in log.samples]
first.eval.dataset.samples = len({sample.id for sample in first.samples})
write_eval_log(first, path)
