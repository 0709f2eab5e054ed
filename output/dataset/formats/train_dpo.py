"""Trains with TRL's DPOTrainer on data/, observations masked on both sides.

    python train_dpo.py --config dpo.yaml --model_name_or_path MODEL
"""

import functools

import torch
import trl
from torch.nn.utils.rnn import pad_sequence
from trl.scripts import dpo
from trl.trainer.dpo_trainer import DataCollatorForPreference

IGNORED = -100


def collate(examples):
    """Both sides of each pair as TRL's own collator stacks them: all chosen ones, then all rejected ones."""
    sides = [(row[f"{side}_input_ids"], row[f"{side}_labels"]) for side in ("chosen", "rejected") for row in examples]
    ids = [torch.tensor(row, dtype=torch.long) for row, _ in sides]
    masks = [torch.tensor([int(label != IGNORED) for label in labels]) for _, labels in sides]
    stack = functools.partial(pad_sequence, batch_first=True, padding_value=0)
    batch = {
        "input_ids": stack(ids),
        "attention_mask": stack([torch.ones_like(row) for row in ids]),
        "completion_mask": stack(masks),
    }
    for key in ("ref_chosen_logps", "ref_rejected_logps"):
        if key in examples[0]:
            batch[key] = torch.tensor([row[key] for row in examples])
    return batch


def check_batches():
    """Stops where another version of TRL reads other batches, for it would train something else."""
    row = {"prompt_ids": [1], "chosen_ids": [2], "rejected_ids": [3]}
    try:
        keys = set(DataCollatorForPreference(pad_token_id=0)([row]))
    except KeyError:
        keys = set()
    if keys != {"input_ids", "attention_mask", "completion_mask"}:
        raise SystemExit(f"train_dpo.py: TRL {trl.__version__} reads other batches; it was tested with 1.12.0")


class MaskedTrainer(trl.DPOTrainer):
    """TRL's trainer with our collator, and with the columns that it reads."""

    def __init__(self, *args, **kwargs):
        settings = kwargs["args"]
        if settings.max_length is not None:
            raise SystemExit("train_dpo.py: max_length must be null: what TRL cuts off, the rows keep")
        settings.remove_unused_columns = False
        super().__init__(*args, data_collator=collate, **kwargs)


if __name__ == "__main__":
    check_batches()
    trl.DPOTrainer = MaskedTrainer
    dpo.main(*dpo.make_parser().parse_args_and_config(fail_with_unknown_args=False))
