import type { DatasetReader } from './datasetReader.ts';
import { readerScript } from './readerScript.ts';

/** verl's own loading of the dataset class beside the rows, and its collator; the mask as labels. */
const script = readerScript(
  'verl',
  `
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
);

export const verlReader: DatasetReader = {
  name: 'verl',
  module: 'verl',
  package: 'verl',
  version: '0.9.1',
  reads: ({ columns, file }) => columns.includes('loss_mask') && file.endsWith('.parquet'),
  script,
};
