import type { DatasetReader } from './datasetReader.ts';
import { readerScript } from './readerScript.ts';

/** What TRL's SFT trainer makes of rows of ids and labels, and its collator. */
const script = readerScript(
  'trl',
  `
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
);

export const trlReader: DatasetReader = {
  name: 'trl',
  module: 'trl',
  package: 'trl',
  version: '1.12.0',
  reads: ({ columns, file }) => columns.includes('labels') && /\.(?:parquet|arrow)$/.test(file),
  script,
};
