"""Rows as trainers' own loaders give them, ids and labels: loader_masks.py REQUESTS.json

Each request names a loader, the file of rows, the file to write, the model folder and options of the loader.
"""

import json
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def trl(request):
    from datasets import Dataset
    from transformers import AutoTokenizer, Qwen2Config, Qwen2ForCausalLM
    from trl import SFTConfig, SFTTrainer

    tokenizer = AutoTokenizer.from_pretrained(request["model"])
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
    )
    model = Qwen2ForCausalLM(config)
    # TRL asks that arguments of calls, which are objects of different keys, stay JSON.
    given = read(request["rows"])
    names = {name for row in given for name in row}
    rows = Dataset.from_list([{name: row.get(name) for name in names} for row in given], on_mixed_types="use_json")
    settings = SFTConfig(
        output_dir=request["written"] + "-trl", max_length=None, use_cpu=True, bf16=False, report_to="none", **request["options"]
    )
    trainer = SFTTrainer(model, args=settings, train_dataset=rows, processing_class=tokenizer)
    return trainer.train_dataset


def axolotl(request):
    from axolotl.prompt_strategies.chat_template import load
    from axolotl.utils.dict import DictDefault
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(request["model"])
    config = DictDefault({"sequence_len": 32_768, "train_on_inputs": False, "chat_template": "tokenizer_default"})
    strategy = load(tokenizer, config, DictDefault(request["options"]))
    return [strategy.tokenize_prompt(row) for row in read(request["rows"])]


def llama_factory_v1(request):
    from llamafactory.v1.core.utils.rendering import Renderer
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(request["model"])
    return Renderer(request["options"]["template"], tokenizer).process_samples(read(request["rows"]))


if __name__ == "__main__":
    loaders = {"trl": trl, "axolotl": axolotl, "llama_factory_v1": llama_factory_v1}
    with open(sys.argv[1], encoding="utf-8") as file:
        requests = json.load(file)
    for request in requests:
        with open(request["written"], "w", encoding="utf-8") as file:
            for row in loaders[request["loader"]](request):
                columns = {name: list(row[name]) for name in ("input_ids", "labels")}
                file.write(json.dumps(columns) + "\n")
