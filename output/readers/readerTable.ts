import type { MaskSource } from '../../schemas/rows/datasetRow.ts';

/** The trainers whose own preprocessing the audit can run. */
export const readerNames = ['llama-factory', 'verl', 'trl', 'axolotl', 'ms-swift'] as const;
/** The name of a trainer that reads datasets. */
export type ReaderName = (typeof readerNames)[number];

/** A trainer as a reader of datasets. */
interface DatasetReader {
  /** Its Python package, as it is imported. */
  readonly module: string;
  /** Its name at PyPI. */
  readonly package: string;
  /** The version that the tests run: the one of `test/trainers/requirements`. */
  readonly version: string;
  /** Whether it reads a part of a dataset. */
  reads(first: FirstRow): boolean;
  /** Python that defines `rows(job)`, which yields the ids and labels of each row as it reaches the model. */
  readonly rows: string;
}

/** The first row of a part, which tells whether a trainer reads it. */
export interface FirstRow {
  readonly file: string;
  readonly maskedBy: MaskSource;
  /** Whether the texts of the turns carry the chat markup. */
  readonly hasMarkup: boolean;
  readonly columns: readonly string[];
}

/** Every trainer that reads datasets, by name. */
export const readerTable: Readonly<Record<ReaderName, DatasetReader>> = {
  /** LLaMA-Factory's own loading, template `empty` and masks, on sharegpt rows that carry the chat markup. */
  'llama-factory': {
    module: 'llamafactory',
    package: 'llamafactory',
    version: '0.9.5',
    reads: ({ columns, hasMarkup }) => columns.includes('conversations') && hasMarkup,
    rows: `
def rows(job):
    from llamafactory.data import get_dataset, get_template_and_fix_tokenizer
    from llamafactory.hparams import get_train_args
    from llamafactory.model import load_tokenizer

    names = [f"part{place}" for place in range(len(job["files"]))]
    tags = {"role_tag": "from", "content_tag": "value", "user_tag": "human", "assistant_tag": "gpt"}
    tags |= {"observation_tag": "observation", "function_tag": "function_call", "system_tag": "system"}
    entry = {"formatting": "sharegpt", "ranking": False, "columns": {"messages": "conversations"}, "tags": tags}
    info = {name: entry | {"file_name": file} for name, file in zip(names, job["files"])}
    with open(os.path.join(job["folder"], "dataset_info.json"), "w", encoding="utf-8") as file:
        json.dump(info, file)
    arguments = {
        "model_name_or_path": job["model"],
        "stage": "sft",
        "do_train": True,
        "finetuning_type": "full",
        "dataset_dir": job["folder"],
        "dataset": ",".join(names),
        "template": "empty",
        "cutoff_len": job["cutoff_len"],
        "output_dir": os.path.join(job["folder"], "output"),
        "use_cpu": True,
        "bf16": False,
        "report_to": "none",
    }
    model, data, training, _, _ = get_train_args(arguments)
    tokenizer = load_tokenizer(model)
    template = get_template_and_fix_tokenizer(tokenizer["tokenizer"], data)
    dataset = get_dataset(template, model, data, training, stage="sft", **tokenizer)["train_dataset"]
    for row in dataset:
        yield row["input_ids"], row["labels"]
`,
  },
  /** verl's own loading of the dataset class beside the rows, and its collator; the mask as labels. */
  verl: {
    module: 'verl',
    package: 'verl',
    version: '0.9.1',
    reads: ({ columns, file }) => columns.includes('loss_mask') && file.endsWith('.parquet'),
    rows: `
def rows(job):
    from omegaconf import OmegaConf
    from verl.trainer.sft_trainer import create_sft_dataset
    from verl.utils.dataset.dataset_utils import DatasetPadMode, SFTTensorCollator

    dataset_class = os.path.join(os.path.dirname(job["files"][0]), "coa_dataset.py")
    if not os.path.exists(dataset_class):
        raise SystemExit(f"{dataset_class} is missing: verl would mask by role alone, and train observations")
    config = OmegaConf.create(
        {
            "custom_cls": {"path": dataset_class, "name": "CoaDataset"},
            "max_length": job["cutoff_len"],
            "pad_mode": "no_padding",
        }
    )
    dataset = create_sft_dataset(job["files"], config, tokenizer=None, processor=None)
    collate = SFTTensorCollator(DatasetPadMode.NO_PADDING)
    for row in range(len(dataset)):
        batch = collate([dataset[row]])
        input_ids = batch["input_ids"].unbind()[0].tolist()
        mask = batch["loss_mask"].unbind()[0].tolist()
        yield input_ids, [id if bit > 0 else -100 for id, bit in zip(input_ids, mask)]
`,
  },
  /** What TRL's SFT trainer makes of rows of ids and labels, and its collator. */
  trl: {
    module: 'trl',
    package: 'trl',
    version: '1.12.0',
    reads: ({ columns, file }) => columns.includes('labels') && /\.(?:parquet|arrow)$/.test(file),
    rows: `
def rows(job):
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
    from trl import SFTConfig, SFTTrainer

    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(job["model"]))
    config = SFTConfig(
        output_dir=os.path.join(job["folder"], "output"),
        # The default would cut rows at 1024 tokens.
        max_length=None,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        report_to="none",
    )
    trainer = SFTTrainer(
        model=model,
        args=config,
        train_dataset=load_saved(job["files"]),
        processing_class=AutoTokenizer.from_pretrained(job["model"]),
    )
    for row in trainer.train_dataset:
        batch = trainer.data_collator([row])
        yield batch["input_ids"][0].tolist(), batch["labels"][0].tolist()
`,
  },
  /** Axolotl's own preprocessing, as its command line runs it. */
  axolotl: {
    module: 'axolotl',
    package: 'axolotl',
    version: '0.19.0',
    reads: ({ columns, maskedBy, file }) =>
      maskedBy === 'segments' || (columns.includes('labels') && file.endsWith('.parquet')),
    rows: `
def rows(job):
    from pathlib import Path

    from axolotl.cli.preprocess import do_cli
    from datasets import load_from_disk

    prepared = os.path.join(job["folder"], "prepared")
    is_parquet = job["files"][0].endswith(".parquet")
    source = {"ds_type": "parquet", "type": None} if is_parquet else {"ds_type": "json", "type": "input_output"}
    config = {
        "base_model": job["model"],
        "datasets": [source | {"path": file} for file in job["files"]],
        "dataset_prepared_path": prepared,
        "val_set_size": 0,
        "sequence_len": job["cutoff_len"],
        "excess_length_strategy": "raise",
        "train_on_inputs": False,
        "sample_packing": False,
        # By default it moves rows.
        "shuffle_merged_datasets": False,
        "output_dir": os.path.join(job["folder"], "output"),
        "micro_batch_size": 1,
        "gradient_accumulation_steps": 1,
        "learning_rate": 1e-5,
        "num_epochs": 1,
        "optimizer": "adamw_torch",
    }
    path = Path(job["folder"], "config.yaml")
    # JSON is YAML.
    path.write_text(json.dumps(config), encoding="utf-8")
    do_cli(str(path))
    for folder in sorted(Path(prepared).iterdir()):
        if not folder.is_dir():
            continue
        for row in load_from_disk(str(folder)):
            yield row["input_ids"], row["labels"]
`,
  },
  /** ms-swift's own loading, template, encoding and collator. */
  'ms-swift': {
    module: 'swift',
    package: 'ms-swift',
    version: '4.6.0',
    reads: ({ columns, maskedBy, file }) =>
      columns.includes('messages') && maskedBy === 'turns' && file.endsWith('.jsonl'),
    rows: `
def rows(job):
    from swift.pipelines.train.sft import SwiftSft

    write_weights(job["model"])
    arguments = {
        "model": job["model"],
        "model_type": "qwen2" if job["ms_swift_template"] == "qwen2_5" else "llama",
        "template": job["ms_swift_template"],
        "tuner_type": "full",
        "split_dataset_ratio": "0",
        "load_from_cache_file": "false",
        "dataset_shuffle": "false",
        "loss_scale": "default",
        "max_length": str(job["cutoff_len"]),
        "truncation_strategy": "delete",
        "strict": "true",
        "torch_dtype": "float32",
        "use_cpu": "true",
        "output_dir": os.path.join(job["folder"], "output"),
        "report_to": "none",
    }
    options = [word for name, value in arguments.items() for word in (f"--{name}", value)]
    sft = SwiftSft([*options, "--dataset", *job["files"]])
    dataset, _ = sft._prepare_dataset()
    for row in range(len(dataset)):
        batch = sft.template.data_collator([dataset[row]])
        yield batch["input_ids"][0].tolist(), batch["labels"][0].tolist()
`,
  },
};
