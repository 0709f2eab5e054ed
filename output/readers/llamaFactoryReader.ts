import type { DatasetReader } from './datasetReader.ts';
import { readerScript } from './readerScript.ts';

/** LLaMA-Factory's own loading, template `empty` and masks, on sharegpt rows that carry the chat markup. */
const script = readerScript(
  'llamafactory',
  `
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
);

/** LLaMA-Factory. */
export const llamaFactoryReader: DatasetReader = {
  name: 'llama-factory',
  module: 'llamafactory',
  package: 'llamafactory',
  version: '0.9.5',
  reads: ({ columns, hasMarkup }) => columns.includes('conversations') && hasMarkup,
  script,
};
