import type { DatasetReader } from './datasetReader.ts';
import { readerScript } from './readerScript.ts';

/** ms-swift's own loading, template, encoding and collator. */
const script = readerScript(
  'ms-swift',
  `
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
);

export const msSwiftReader: DatasetReader = {
  name: 'ms-swift',
  module: 'swift',
  package: 'ms-swift',
  version: '4.6.0',
  reads: ({ columns, maskedBy, file }) =>
    columns.includes('messages') && maskedBy === 'turns' && file.endsWith('.jsonl'),
  script,
};
