"""What a model thinks of reference rows: token_losses.py MODEL TOKENIZED ROWS

Mean loss on what models wrote and on observations, and behind how many calls the model's likeliest text is the
beginning of an observation: it would write one itself, were it not stopped there.
"""

import json
import sys

import torch
from datasets import load_from_disk
from transformers import AutoModelForCausalLM, AutoTokenizer

folder, rows, count = sys.argv[1:]
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
tokenizer = AutoTokenizer.from_pretrained(folder)
sums = {"model": [0.0, 0], "observation": [0.0, 0]}
calls = begun = 0
dataset = load_from_disk(rows)
for row in dataset.select(range(min(int(count), len(dataset)))):
    ids, labels = row["input_ids"], row["labels"]
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0, :-1]
    losses = torch.nn.functional.cross_entropy(logits, torch.tensor(ids[1:]), reduction="none").tolist()
    likeliest = logits.argmax(-1).tolist()
    first = next(at for at, label in enumerate(labels) if label != -100)
    for at in range(first, len(ids)):
        pair = sums["observation" if labels[at] == -100 else "model"]
        pair[0] += losses[at - 1]
        pair[1] += 1
        if labels[at] == -100 and labels[at - 1] != -100:
            end = at + 1
            while ">" not in tokenizer.decode(ids[at:end]):
                end += 1
            calls += 1
            begun += likeliest[at - 1 : end - 1] == ids[at:end]
print(
    json.dumps(
        {key: {"loss": total / n, "tokens": n} for key, (total, n) in sums.items()} | {"calls": calls, "begun": begun}
    )
)
