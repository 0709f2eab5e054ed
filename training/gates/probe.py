"""Says which packages a trainer's Python has, and loads a dataset by the trainer's own means. Nothing is trained.

    python probe.py REQUEST

REQUEST is JSON: `packages` (the trainer's own first), `folder` of the dataset, its `train` and `validation` files, `load` and
`keys_of` (names of functions below), `options` of the loader, and `keys`, the job's configuration; or `packages` alone.
Prints one line of JSON.
"""

import dataclasses
import importlib.metadata
import importlib.util
import json
import os
import sys


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def longest(column):
    """Items of the longest list in a column of lists."""
    import pyarrow.compute as pc

    return pc.max(pc.list_value_length(column)).as_py() or 0


def file_sets(request):
    """Paths of the training files and, where there are any, of the validation files."""
    sets = [names for names in (request["train"], request["validation"]) if names]
    return [[os.path.join(request["folder"], name) for name in names] for names in sets]


# Loaders: rows, validation rows, and tokens of the longest row.


def ids(request):
    """Columns of ids that `datasets` opens from `options.path`, saved by it or as files."""
    from datasets import load_dataset, load_from_disk

    options = request["options"]
    opened = load_from_disk if options["saved"] else load_dataset
    loaded = opened(os.path.join(request["folder"], options["path"]))
    splits = loaded if isinstance(loaded, dict) else {"train": loaded}
    columns = [split.data.column(name) for split in splits.values() for name in options["columns"]]
    return {
        "rows": len(splits["train"]),
        "validation_rows": len(splits["validation"]) if "validation" in splits else 0,
        "longest": max(map(longest, columns)),
    }


def verl_rows(request):
    """Rows as verl reads them, by the class that comes with the dataset."""
    program = os.path.join(request["folder"], "verl/coa_dataset.py")
    spec = importlib.util.spec_from_file_location("coa_dataset", program)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    splits = [module.CoaDataset(files) for files in file_sets(request)]
    return {
        "rows": len(splits[0]),
        "validation_rows": len(splits[1]) if request["validation"] else 0,
        "longest": max(longest(split.input_ids) for split in splits),
    }


def rl_tasks(request):
    """Tasks as verl and TRL load them; their prompts by tokenizer and template of the model at the key `options.model_key`."""
    import datasets

    splits = [datasets.load_dataset("parquet", data_files=files, split="train") for files in file_sets(request)]
    model = request["keys"][request["options"]["model_key"]]
    return {
        "rows": len(splits[0]),
        "validation_rows": len(splits[1]) if request["validation"] else 0,
        "longest": max(longest_prompt(split["prompt"], model) for split in splits),
        "first_task": str(splits[0][0]["extra_info"]["index"]) if len(splits[0]) else None,
    }


def longest_prompt(prompts, model):
    """Tokens of the longest prompt; 0 for a model that lies on another machine."""
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
    except OSError:
        return 0
    rendered = (tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False) for turns in prompts)
    return max(map(len, rendered), default=0)


# Keys of the installed version's configuration, as `training.set` writes them. `a.*` stands for every key below `a`; a key
# with + in front has to be added.


def fields_of(*classes):
    return sorted({field.name for one in classes for field in dataclasses.fields(one) if field.init})


def llama_factory_keys(keys):
    from llamafactory.hparams.parser import _TRAIN_ARGS

    return fields_of(*_TRAIN_ARGS)


def trl_dpo_keys(keys):
    from trl import DPOConfig, ModelConfig, ScriptArguments

    return fields_of(ScriptArguments, DPOConfig, ModelConfig)


def trl_rl_keys(keys):
    from trl import GRPOConfig

    # The last four are our own program's, `trl_grpo.py`.
    return sorted({*fields_of(GRPOConfig), "model", "tasks", "metrics_file", "rollouts"})


def composed(name, overrides=()):
    """A configuration of verl."""
    from hydra import compose, initialize_config_module

    with initialize_config_module("verl.trainer.config", version_base=None):
        return compose(name, overrides=list(overrides))


def is_section(node):
    from omegaconf import DictConfig

    return isinstance(node, DictConfig) and not node._is_none() and not node._is_interpolation()


def verl_sft_keys(keys):
    chosen = [f"{key}={keys[key]}" for key in ("engine", "optim", "model", "profiler") if isinstance(keys.get(key), str)]
    return sorted(set(below_sections(composed("sft_trainer_engine", chosen), "")))


def below_sections(node, prefix):
    """Keys below a section. Those with + are fields of the class that is made from the configuration."""
    from hydra.utils import get_class

    for name in node:
        if name == "_target_":
            continue
        yield prefix + name
        child = node._get_node(name)
        if is_section(child):
            yield from below_sections(child, f"{prefix}{name}.")
    if "_target_" not in node:
        # Nothing says what may be added here; at the top nothing is.
        yield from [f"+{prefix}*"] if prefix else []
        return
    for field in dataclasses.fields(get_class(node["_target_"])):
        if field.init and field.name not in node:
            yield f"+{prefix}{field.name}"
        if field.init and "dict" in str(field.type).lower():
            yield f"+{prefix}{field.name}.*"


# Other sections are hardly ever set: they are taken whole, and so is what + adds.
OPENED = ("actor_rollout_ref", "actor_rollout_ref.actor", "actor_rollout_ref.model", "actor_rollout_ref.rollout")
OPENED += ("algorithm", "data", "trainer")
# Sections of other projects, which stand here as references.
REFERENCES = ("mtp", "qat", "quantization")


def verl_rl_keys(keys):
    config = composed("ppo_trainer")
    return sorted({*below_opened(config, ""), *(f"+{section}.*" for section in config)})


def below_opened(node, prefix):
    for name in node:
        if name == "_target_":
            continue
        yield prefix + name
        child = node._get_node(name)
        if prefix + name in OPENED:
            yield from below_opened(child, f"{prefix}{name}.")
        elif name in REFERENCES or is_section(child):
            yield f"{prefix}{name}.*"


LOADERS = {one.__name__: one for one in (ids, verl_rows, rl_tasks)}
KEYS = {one.__name__: one for one in (llama_factory_keys, trl_dpo_keys, trl_rl_keys, verl_sft_keys, verl_rl_keys)}


def main(request):
    versions = {name: version(name) for name in request["packages"]}
    loaded, load_error, known = None, None, None
    if "load" in request and versions[request["packages"][0]] is not None:
        try:
            loaded = LOADERS[request["load"]](request)
        except Exception as error:
            load_error = f"{type(error).__name__}: {error}"
        if request["reads_keys"]:
            try:
                known = KEYS[request["keys_of"]](request["keys"])
            except Exception:
                # Another version keeps its keys elsewhere.
                pass
    found = {name: one for name, one in versions.items() if one is not None}
    # Packages may print when they are imported: the answer is the last line.
    print()
    print(json.dumps({"versions": found, "loaded": loaded, "load_error": load_error, "arguments": known}))


main(json.loads(sys.argv[1]))
