"""TRL's DPO by the dataset's train_dpo.py, with its figures in metrics.jsonl, resumed from the newest whole checkpoint."""

import json
import math
from pathlib import Path

import train_dpo
import trl
from transformers import TrainerCallback
from trl.scripts import dpo


class Metrics(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if not state.is_world_process_zero:
            return
        figures = {key: value for key, value in (logs or {}).items() if isinstance(value, (int, float))}
        data = {key: value if math.isfinite(value) else None for key, value in figures.items()}
        line = {"step": state.global_step, "total_steps": state.max_steps, "data": data}
        with open("metrics.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def newest_checkpoint(folder):
    """The last one that was saved to its end: trainer_state.json is written last."""
    whole = [path.parent for path in Path(folder).glob("checkpoint-*/trainer_state.json")]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


class JobTrainer(train_dpo.MaskedTrainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.add_callback(Metrics())

    def train(self):
        newest = newest_checkpoint(self.args.output_dir)
        return super().train(resume_from_checkpoint=str(newest) if newest else None)


if __name__ == "__main__":
    train_dpo.check_batches()
    trl.DPOTrainer = JobTrainer
    dpo.main(*dpo.make_parser().parse_args_and_config(fail_with_unknown_args=False))
