"""Weights of llama.cpp as a Hugging Face folder, by transformers' own reader: convert_gguf.py FILE.gguf FOLDER

Needs the package gguf beside transformers. Quantised weights become float32.
"""

import os
import sys

import torch
from tokenizers import pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer

source, target = sys.argv[1:]
folder, name = os.path.split(os.path.abspath(source))
tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
# The reader takes the token that begins a text for the one that ends it; the model's own configuration has it right.
tokenizer.eos_token = tokenizer.convert_ids_to_tokens(model.config.eos_token_id)
tokenizer.pad_token = tokenizer.eos_token
tokenizer.clean_up_tokenization_spaces = False
if model.config.model_type == "llama":
    # SmolLM2's digits stand alone. Line feeds do so here too: by its own rule two of them are one token only at the end of
    # a text, so the prompt of a step would not be the beginning of the row that was trained.
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split("\n", "isolated"),
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
tokenizer.save_pretrained(target)
model.save_pretrained(target)
