import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../base/userError.ts';
import type { AuditFinding } from '../../schemas/audit.ts';
import { readDatasetRow } from '../../schemas/rows/codecTable.ts';
import { isProblem } from '../../schemas/rows/datasetRow.ts';
import type { DatasetAudit } from '../audit/auditDataset.ts';
import type { AuditTally } from '../audit/auditTally.ts';
import type { DatasetPart } from '../audit/read/datasetParts.ts';
import type { RowReader } from '../audit/read/readRows.ts';
import { hasMarkup } from '../audit/rows/tokenRow.ts';
import type { TokenText } from '../audit/tokenText.ts';
import { formatTable } from '../dataset/formatTable.ts';
import { differingRows } from './differingRows.ts';
import { type FirstRow, type ReaderName, readerTable } from './readerTable.ts';
import { runReader } from './runReader.ts';

/** Which trainers are asked. */
export interface ReaderRequest {
  /** Each with the Python that has it, see `findPythons`. */
  readonly pythons: ReadonlyMap<ReaderName, string>;
  readonly stop: AbortSignal;
}

/** Where nobody says how long rows may be. */
const longestRow = 10_000_000;

/**
 * Runs the trainers' own preprocessing on every part that they read, and compares what reaches the model with the
 * rows of the part, row by row.
 *
 * @throws UserError when a trainer fails, or reads none of the parts
 */
export async function* auditWithReaders(
  audit: DatasetAudit,
  request: ReaderRequest,
  tally: AuditTally,
): AsyncGenerator<readonly AuditFinding[]> {
  if (request.pythons.size === 0) return;
  const folder = await mkdtemp(path.join(tmpdir(), 'coa-audit-'));
  try {
    const model = path.join(folder, 'model');
    await writeTinyModel(model, audit.settings.tokenText);
    for (const [trainer, python] of request.pythons) {
      yield* auditTrainer({ trainer, python, folder, model, stop: request.stop }, audit, tally);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface TrainerAudit {
  readonly trainer: ReaderName;
  readonly python: string;
  readonly folder: string;
  readonly model: string;
  readonly stop: AbortSignal;
}

async function* auditTrainer(
  { trainer, folder, ...job }: TrainerAudit,
  audit: DatasetAudit,
  tally: AuditTally,
): AsyncGenerator<readonly AuditFinding[]> {
  const parts = await partsOf(trainer, audit);
  if (parts.length === 0) {
    throw new UserError(
      `--with ${trainer}: no rows here are of a layout that it reads; export a format for it (${formatsFor(trainer)}), or leave it out`,
    );
  }
  const { tokenText, cutoffLen } = audit.settings;
  const isLlama = [...tokenText.controls.values()].includes('<|start_header_id|>');
  for (const [place, part] of parts.entries()) {
    const { version, rows } = await runReader({
      ...job,
      trainer,
      files: part.files,
      cutoffLen: cutoffLen ?? longestRow,
      msSwiftTemplate: isLlama ? 'llama3' : 'qwen2_5',
      folder: path.join(folder, `${trainer}-${place}`),
    });
    const counts = { trainer, version, path: part.path, rows: 0, rows_that_differ: 0 };
    for await (const finding of differingRows(part, trainer, rows, audit)) {
      if (finding) counts.rows_that_differ += 1;
      counts.rows += 1;
      if (finding) tally.add([finding]);
      if (finding) yield [finding];
    }
    tally.trainers.push(counts);
  }
}

/** The dataset formats that a trainer reads. */
function formatsFor(trainer: ReaderName): string {
  const formats = Object.values(formatTable).filter(({ readers }) => readers.includes(trainer));
  return formats.map(({ name }) => name).join(', ');
}

async function partsOf(
  trainer: ReaderName,
  { dataset, readRows, settings }: DatasetAudit,
): Promise<DatasetPart[]> {
  const parts: DatasetPart[] = [];
  for (const part of dataset.parts) {
    const first = await firstRow(part, readRows, settings.tokenText);
    if (first && readerTable[trainer].reads(first)) parts.push(part);
  }
  return parts;
}

async function firstRow(
  { files }: DatasetPart,
  readRows: RowReader,
  tokenText: TokenText,
): Promise<FirstRow | undefined> {
  for (const file of files) {
    for await (const row of readRows(file)) {
      if (!('value' in row)) return undefined;
      const read = readDatasetRow(row.value);
      if (isProblem(read)) return undefined;
      const { maskedBy, pieces } = read;
      const carries = maskedBy === 'turns' && hasMarkup(pieces, tokenText);
      return { file, maskedBy, hasMarkup: carries, columns: Object.keys(row.value as object) };
    }
  }
  return undefined;
}

/** The smallest Qwen2: trainers want a model's configuration, and no weight of it is ever used. */
const tinyModel = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  hidden_size: 8,
  intermediate_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 131_072,
  tie_word_embeddings: true,
};

/** Writes a model folder with the audit's tokenizer, as trainers open it. */
async function writeTinyModel(folder: string, { file, controls }: TokenText): Promise<void> {
  await mkdir(folder, { recursive: true });
  await copyFile(file, path.join(folder, 'tokenizer.json'));
  const settings = path.join(path.dirname(file), 'tokenizer_config.json');
  const target = path.join(folder, 'tokenizer_config.json');
  const end = ['<|im_end|>', '<|eot_id|>', '</s>'].find((token) => [...controls.values()].includes(token));
  const plain = { tokenizer_class: 'PreTrainedTokenizerFast', eos_token: end, pad_token: end };
  if (existsSync(settings)) await copyFile(settings, target);
  else await writeFile(target, JSON.stringify(plain));
  // Enough for every id: the control tokens stand last in all vocabularies that are in use.
  const vocab_size = 1_024 * Math.ceil((Math.max(150_000, ...controls.keys()) + 1) / 1_024);
  await writeFile(path.join(folder, 'config.json'), JSON.stringify({ ...tinyModel, vocab_size }));
}
