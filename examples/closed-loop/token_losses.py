"""Mean loss of a model on what models wrote and on observations: token_losses.py MODEL TOKENIZED ROWS"""

import json
import sys

import torch
from datasets import load_from_disk
from transformers import AutoModelForCausalLM

folder, rows, count = sys.argv[1:]
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
sums = {"model": [0.0, 0], "observation": [0.0, 0]}
dataset = load_from_disk(rows)
for row in dataset.select(range(min(int(count), len(dataset)))):
    ids, labels = row["input_ids"], row["labels"]
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0, :-1]
    losses = torch.nn.functional.cross_entropy(logits, torch.tensor(ids[1:]), reduction="none").tolist()
    first = next(at for at, label in enumerate(labels) if label != -100)
    for at in range(first, len(ids)):
        pair = sums["observation" if labels[at] == -100 else "model"]
        pair[0] += losses[at - 1]
        pair[1] += 1
print(json.dumps({key: {"loss": total / n, "tokens": n} for key, (total, n) in sums.items()}))
