import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { pythonEnvironment } from './findPython.ts';
import { type ReaderName, readerTable } from './readerTable.ts';

/** What a trainer's preprocessing is run on. */
export interface TrainerJob {
  readonly trainer: ReaderName;
  readonly python: string;
  /** Files of rows, in order. */
  readonly files: readonly string[];
  /** A model folder, see `writeTrainerModel`. */
  readonly model: string;
  /** Most tokens of a row. */
  readonly cutoffLen: number;
  readonly msSwiftTemplate: 'qwen2_5' | 'llama3';
  /** An empty folder for its files. */
  readonly folder: string;
  readonly stop: AbortSignal;
}

/** A row as it reaches the model. */
export interface ReaderRow {
  readonly input_ids: readonly number[];
  readonly labels: readonly number[];
}

const versionSchema = z.object({ version: z.string() });
const trainerRowSchema = z.object({ input_ids: z.array(z.int()), labels: z.array(z.int()) });

/** Characters of a program's output that are kept to explain its failure. */
const keptOutput = 4_000;

/**
 * Runs a trainer's own preprocessing to its end.
 *
 * @returns its version and its rows, which are read as they are asked for
 * @throws UserError with the end of what it printed when it fails
 */
export async function runReader(
  job: TrainerJob,
): Promise<{ version: string; rows: AsyncGenerator<ReaderRow> }> {
  await mkdir(job.folder, { recursive: true });
  const place = (name: string): string => path.join(job.folder, name);
  await writeFile(place('preprocess.py'), readerScript(job.trainer));
  await writeFile(place('job.json'), JSON.stringify(description(job)));
  const child = spawn(job.python, [place('preprocess.py'), place('job.json'), place('rows.jsonl')], {
    cwd: job.folder,
    env: pythonEnvironment(job.python, job.folder),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: job.stop,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-keptOutput);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    throw new UserError(`--with ${job.trainer}: its preprocessing ended with ${code}: ${lastLines(output)}`);
  }
  return readOutput(place('rows.jsonl'));
}

function description({ files, model, folder, cutoffLen, msSwiftTemplate }: TrainerJob) {
  const full = files.map((file) => path.resolve(file));
  return { files: full, model, folder, cutoff_len: cutoffLen, ms_swift_template: msSwiftTemplate };
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-3).join(' | ') || 'it printed nothing';
}

async function readOutput(file: string): Promise<{ version: string; rows: AsyncGenerator<ReaderRow> }> {
  const lines = createInterface({ input: createReadStream(file) })[Symbol.asyncIterator]();
  const first = await lines.next();
  const { version } = versionSchema.parse(parseJson(String(first.value)));
  return { version, rows: parsedRows(lines) };
}

async function* parsedRows(lines: AsyncIterator<string>): AsyncGenerator<ReaderRow> {
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    yield trainerRowSchema.parse(parseJson(next.value));
  }
}

/**
 * The Python program of a trainer. It is called with JOB.json and ROWS.jsonl: the job names the files, a folder with
 * the tokenizer and a tiny model's configuration, a folder of its own, and the most tokens of a row. The first line
 * that it writes is the trainer's version, each other one a row as it reaches the model.
 */
function readerScript(name: ReaderName): string {
  const { package: project, rows } = readerTable[name];
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
