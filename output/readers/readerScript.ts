/**
 * What all the programs share. They are called with JOB.json and ROWS.jsonl: the job names the files, a folder with
 * the tokenizer and a tiny model's configuration, a folder of their own, and the most tokens of a row. The first line
 * that they write is the trainer's version, each other one a row as it reaches the model.
 *
 * @param project the trainer's name at PyPI
 * @param rows Python that defines `rows(job)`, which yields pairs of ids and labels
 */
export function readerScript(project: string, rows: string): string {
  return `import json
import os
import sys
from importlib.metadata import version


def load_saved(files):
    from datasets import Dataset, concatenate_datasets, load_dataset

    if files[0].endswith(".arrow"):
        return concatenate_datasets([Dataset.from_file(file) for file in files])
    return load_dataset("parquet", data_files=files, split="train")


def write_weights(folder):
    from transformers import AutoConfig, AutoModelForCausalLM

    AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder)).save_pretrained(folder)


${rows.trim()}


if __name__ == "__main__":
    job_path, rows_path = sys.argv[1:]
    # Trainers read the command line on their own.
    sys.argv = sys.argv[:1]
    with open(job_path, encoding="utf-8") as file:
        job = json.load(file)
    with open(rows_path, "w", encoding="utf-8") as file:
        file.write(json.dumps({"version": version("${project}")}) + "\\n")
        for input_ids, labels in rows(job):
            file.write(json.dumps({"input_ids": input_ids, "labels": labels}) + "\\n")
`;
}
