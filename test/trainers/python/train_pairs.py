"""DPO as the trainers' own programs start it, with what reaches the loss written down.

    train_pairs.py llamafactory RECORD.jsonl CONFIG.yaml [KEY=VALUE...]
    train_pairs.py ours RECORD.jsonl ARGUMENTS...   train_dpo.py of this folder
    train_pairs.py trl RECORD.jsonl ARGUMENTS...    `trl dpo`
"""

import json
import runpy
import sys


def record(path, input_ids, labels, attention_mask):
    """Appends the rows of a batch, all chosen ones before all rejected ones, without padding."""
    with open(path, "a", encoding="utf-8") as file:
        for ids, wanted, mask in zip(input_ids, labels, attention_mask):
            if (wanted[mask == 0] != -100).any():
                raise ValueError("padding is trained")
            row = {"input_ids": ids[mask == 1].tolist(), "labels": wanted[mask == 1].tolist()}
            file.write(json.dumps(row) + "\n")


def record_llama_factory(path):
    from llamafactory.train.dpo.trainer import CustomDPOTrainer

    forward = CustomDPOTrainer.concatenated_forward

    def recording(self, model, batch, is_ref_model=False):
        if not is_ref_model:
            record(path, batch["input_ids"], batch["labels"], batch["attention_mask"])
        return forward(self, model, batch, is_ref_model)

    CustomDPOTrainer.concatenated_forward = recording


def record_trl(path):
    import trl
    from transformers import Trainer

    compute = trl.DPOTrainer._compute_loss
    save_model = Trainer.save_model

    def recording(self, model, inputs, return_outputs):
        labels = inputs["input_ids"].masked_fill(inputs["completion_mask"] == 0, -100)
        record(path, inputs["input_ids"], labels, inputs["attention_mask"])
        return compute(self, model, inputs, return_outputs)

    # The metrics that it logged are in the trainer's state, which `trl dpo` does not save.
    def save_state_too(self, *args, **kwargs):
        self.save_state()
        save_model(self, *args, **kwargs)

    trl.DPOTrainer._compute_loss = recording
    Trainer.save_model = save_state_too


if __name__ == "__main__":
    trainer, path = sys.argv[1:3]
    sys.argv = [trainer, *sys.argv[3:]]
    if trainer == "llamafactory":
        record_llama_factory(path)
        from llamafactory.train.tuner import run_exp

        run_exp()
    else:
        record_trl(path)
        if trainer == "ours":
            runpy.run_path("train_dpo.py", run_name="__main__")
        else:
            runpy.run_module("trl.scripts.dpo", run_name="__main__")
