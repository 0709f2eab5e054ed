"""Merges an adapter (LoRA) into its model: python merge_adapter.py ADAPTER MERGED"""

import sys

from peft import AutoPeftModelForCausalLM
from transformers import AutoTokenizer

adapter, merged = sys.argv[1:]
AutoPeftModelForCausalLM.from_pretrained(adapter).merge_and_unload().save_pretrained(merged)
AutoTokenizer.from_pretrained(adapter).save_pretrained(merged)
