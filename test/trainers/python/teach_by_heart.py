"""Teaches a tiny model rows by heart, by their labels: teach_by_heart.py TOKENIZED MODEL OUT

TOKENIZED is a folder of `save_to_disk` with input_ids and labels, MODEL one with a config and a tokenizer.
"""

import shutil
import sys
from pathlib import Path

import torch
from datasets import load_from_disk
from transformers import AutoConfig, AutoModelForCausalLM, GenerationConfig

LOSS_BY_HEART = 0.005
MOST_STEPS = 1500

if __name__ == "__main__":
    tokenized, source, out = sys.argv[1:]
    torch.manual_seed(7)
    rows = [
        (torch.tensor([row["input_ids"]]), torch.tensor([row["labels"]]))
        for row in load_from_disk(tokenized)
    ]
    config = AutoConfig.from_pretrained(source)
    model = AutoModelForCausalLM.from_config(config).float()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0)
    for step in range(MOST_STEPS):
        losses = []
        for ids, labels in rows:
            # Logits of the trained places alone: the vocabulary is the model's most work by far.
            hidden = model.model(ids).last_hidden_state[0, :-1]
            places = labels[0, 1:] >= 0
            loss = torch.nn.functional.cross_entropy(model.lm_head(hidden[places]), labels[0, 1:][places])
            loss.backward()
            losses.append(loss.item())
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if max(losses) < LOSS_BY_HEART:
            break
    print(f"{step + 1} steps, loss {max(losses):.4f}")
    # Greedy by its own configuration: whoever serves it has to turn sampling on.
    model.generation_config = GenerationConfig(do_sample=False, eos_token_id=config.eos_token_id)
    model.save_pretrained(out)
    for file in Path(source).glob("tokenizer*.json"):
        shutil.copy(file, out)
