import type { DatasetReader } from './datasetReader.ts';
import { readerScript } from './readerScript.ts';

/** Axolotl's own preprocessing, as its command line runs it. */
const script = readerScript(
  'axolotl',
  `
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
);

export const axolotlReader: DatasetReader = {
  name: 'axolotl',
  module: 'axolotl',
  package: 'axolotl',
  version: '0.19.0',
  reads: ({ columns, maskedBy, file }) =>
    maskedBy === 'segments' || (columns.includes('labels') && file.endsWith('.parquet')),
  script,
};
