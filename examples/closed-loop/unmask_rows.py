"""The rows of a dataset with the loss on everything behind the prompt: unmask_rows.py TOKENIZED TARGET

The control of the closed loop. No command of coa-distill makes such rows: it masks by who wrote a text.
"""

import sys

from datasets import load_from_disk


def unmask(row):
    first = next(at for at, label in enumerate(row["labels"]) if label != -100)
    return {"labels": row["labels"][:first] + row["input_ids"][first:]}


source, target = sys.argv[1:]
load_from_disk(source).map(unmask, keep_in_memory=True).save_to_disk(target)
