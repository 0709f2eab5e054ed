"""Tasks as the loaders of verl and SkyRL have them: verl_rl_rows.py DATA.parquet MODEL ROWS.json SKYRL

SKYRL is the folder of SkyRL's package, which uses what else this environment has.
"""

import json
import sys

from omegaconf import OmegaConf
from transformers import AutoTokenizer
from verl.utils.dataset.rl_dataset import RLHFDataset


def skyrl_rows(most):
    """What SkyRL's trainer hands to its generator."""
    sys.path.append(skyrl)
    from skyrl.train.dataset import PromptDataset

    loaded = PromptDataset(parquet, tokenizer, most, num_workers=1)
    return loaded.collate_fn([loaded[at] for at in range(len(loaded))])


if __name__ == "__main__":
    parquet, model, rows_path, skyrl = sys.argv[1:]
    tokenizer = AutoTokenizer.from_pretrained(model)
    config = OmegaConf.create({"max_prompt_length": 20_000, "filter_overlong_prompts": True, "cache_dir": "cache"})
    dataset = RLHFDataset(parquet, tokenizer, config)
    rows = []
    for row, theirs in zip((dataset[at] for at in range(len(dataset))), skyrl_rows(20_000), strict=True):
        messages = list(row["raw_prompt"])
        text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        columns = {key: row[key] for key in ("index", "agent_name", "ability", "reward_model", "tools_kwargs")}
        extras = theirs["env_extras"]
        rows.append(
            {
                **columns,
                "ids": tokenizer.encode(text, add_special_tokens=False),
                "skyrl": {
                    "ids": tokenizer.apply_chat_template(theirs["prompt"], add_generation_prompt=True, return_dict=False),
                    "env_class": theirs["env_class"],
                    **extras["reward_spec"],
                    "index": extras["extra_info"]["index"],
                },
            }
        )
    # A prompt of more tokens than that is left out.
    longest = max(len(row["ids"]) for row in rows)
    left = [len(skyrl_rows(most)) for most in (longest, longest - 1)]
    with open(rows_path, "w", encoding="utf-8") as file:
        json.dump({"rows": rows, "left": left}, file)
