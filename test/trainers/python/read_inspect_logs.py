"""Reads the logs of a folder as Inspect does, lets it compute its metrics, and prints one line of JSON for each."""

import json
import sys
from pathlib import Path

from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries, recompute_metrics

for path in sorted(Path(sys.argv[1]).iterdir()):
    log = read_eval_log(str(path))
    written = log.results.scores[0]
    summaries = read_eval_log_sample_summaries(str(path))
    recompute_metrics(log)
    computed = log.results.scores[0] if log.results.scores else None
    print(json.dumps({
        "file": path.name,
        "status": log.status,
        "samples": len(log.samples),
        "summaries": len(summaries),
        "errors": sum(1 for sample in log.samples if sample.error is not None),
        "roles": sorted({message.role for sample in log.samples for message in sample.messages}),
        "written": {name: metric.value for name, metric in written.metrics.items()},
        "computed": {name: metric.value for name, metric in computed.metrics.items()} if computed else {},
        "scored": [written.scored_samples, written.unscored_samples],
        "tool_calls": sum(len(m.tool_calls or []) for s in log.samples for m in s.messages if m.role == "assistant"),
    }))
