/**
 * A corpus of synthetic trajectories of 30 KB each, made as a stream, through lint, filter, dedup and balance: time and
 * peak memory for n rows (CORPUS_BENCH_ROWS, 2,000 by default) and for 2n, each size in a process of its own. The
 * stages read JSON lines and decide as the standalone commands do; what stays is counted, not written.
 *
 * Goals, with n = 500,000: peak memory under 1 GB, and at most 2.3 times the time for 2n. Run with `make bench`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { jsonLineRows } from '../base/rows/openRowFile.ts';
import { balanceRows } from '../operations/standalone/balanceRows.ts';
import { dedupRows } from '../operations/standalone/dedupRows.ts';
import { filterRows } from '../operations/standalone/filterRows.ts';
import type { RowRecord, RowStage } from '../operations/standalone/rowStage.ts';
import type { SourceRow } from '../operations/standalone/sourceRow.ts';
import { createTextLinter } from '../output/lint/createTextLinter.ts';
import { openMaskMarker } from '../output/lint/mask/maskMarker.ts';
import { builtinRegistry } from '../schemas/coa/profileRegistry.ts';
import { mhqaProfile } from '../schemas/coa/profiles/mhqa.ts';
import { balanceConfigSchema } from '../schemas/config/balance.ts';
import { trajectoryDedupSchema } from '../schemas/config/dedup.ts';
import { filtersConfigSchema } from '../schemas/config/filters.ts';
import { readDatasetRow } from '../schemas/rows/codecTable.ts';
import type { DatasetRow } from '../schemas/rows/datasetRow.ts';
import { syntheticTrajectory } from './support/syntheticTrajectories.ts';

const smallSize = Number(process.env.CORPUS_BENCH_ROWS ?? 2_000);
const ownSize = process.argv[2];

async function compareSizes(): Promise<void> {
  const small = await measured(smallSize);
  const large = await measured(2 * smallSize);
  const ratio = (figure: keyof Total) => (large[figure] / small[figure]).toFixed(2);
  console.log(`for 2n over n: time ${ratio('seconds')}, CPU time ${ratio('cpuSeconds')}`);
}

/** What all stages took together. */
interface Total {
  readonly seconds: number;
  /** The same whatever else the machine does. */
  readonly cpuSeconds: number;
}

/** Works through a size in a process of its own, which prints its table. */
async function measured(rows: number): Promise<Total> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), String(rows)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed, [code]] = await Promise.all([text(child.stdout!), once(child, 'close')]);
  if (code !== 0) throw new Error(`${rows} rows ended with ${code}`);
  const lines = printed.trimEnd().split('\n');
  const total = JSON.parse(lines.pop()!) as Total;
  console.log(lines.join('\n'));
  return total;
}

async function measure(size: number): Promise<void> {
  const reading = { profiles: builtinRegistry, profile: undefined, systemPrompt: '' };
  const { profileOf, profiles } = builtinRegistry;
  const filters = filtersConfigSchema.parse({});
  const balance = balanceConfigSchema.parse({
    rules: [
      { rule: 'cap', by: ['source'], most: Math.ceil(size / 80) },
      { rule: 'temperature', by: ['source', 'length'], temperature: 2 },
    ],
  });
  const config = trajectoryDedupSchema.parse({});
  const spillFolder = tmpdir();
  const all = Uint32Array.from({ length: size }, (_, row) => row);
  const started = performance.now();
  const startedCpu = process.cpuUsage();
  let rows = await timed('lint', all, lint);
  const decide =
    <T extends RowRecord>(stage: RowStage<T>) =>
    (before: Uint32Array) =>
      keptRows(before, stage);
  rows = await timed(
    'filter',
    rows,
    decide(filterRows({ ...reading, filter: { profileOf, filters, seed: 7, tools: {} } })),
  );
  const comparison = { of: 'trajectory', config } as const;
  rows = await timed(
    'dedup',
    rows,
    decide(dedupRows({ comparison, column: undefined, profiles, spillFolder })),
  );
  await timed(
    'balance',
    rows,
    decide(balanceRows({ ...reading, config: balance, seed: 7, onCounts: () => {} })),
  );
  const { user, system } = process.cpuUsage(startedCpu);
  const seconds = (performance.now() - started) / 1_000;
  const total: Total = { seconds, cpuSeconds: (user + system) / 1e6 };
  console.log(JSON.stringify(total));
}

async function timed(
  stage: string,
  rows: Uint32Array,
  work: (rows: Uint32Array) => Promise<Uint32Array>,
): Promise<Uint32Array> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const kept = await work(rows);
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const peak = process.resourceUsage().maxRSS / 1_000;
  console.log(
    `${stage}: ${rows.length} rows in, ${kept.length} kept, ${seconds.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of CPU, peak memory so far ${peak.toFixed(0)} MB`,
  );
  return kept;
}

/** The rows on which no rule of severity error speaks; here all of them. */
async function lint(rows: Uint32Array): Promise<Uint32Array> {
  const linter = createTextLinter(await openMaskMarker());
  const kept = new Kept(rows);
  for await (const row of sourceRows(rows)) {
    if (!('value' in row)) throw new Error('a synthetic row is not JSON');
    const findings = await linter.lint(mhqaProfile, (readDatasetRow(row.value) as DatasetRow).text!);
    if (findings.length === 0) kept.add(row.index);
  }
  return kept.rows;
}

async function keptRows<T extends RowRecord>(
  rows: Uint32Array,
  { read, ...how }: RowStage<T>,
): Promise<Uint32Array> {
  const kept = new Kept(rows);
  const { signal } = new AbortController();
  const records = readRows(rows, read);
  if (how.kind === 'corpus') {
    for await (const { index, outcome } of how.stage.run(records, { signal }))
      if (outcome.kind === 'emit') kept.add(index);
    return kept.rows;
  }
  let index = 0;
  for await (const record of records) {
    if ((await how.stage.run(record, { signal })).kind === 'emit') kept.add(index);
    index++;
  }
  return kept.rows;
}

/** Numbers of the rows that stay, four bytes each. */
class Kept {
  readonly #before: Uint32Array;
  readonly #rows: Uint32Array;
  #count = 0;

  constructor(before: Uint32Array) {
    this.#before = before;
    this.#rows = new Uint32Array(before.length);
  }

  add(index: number): void {
    this.#rows[this.#count++] = this.#before[index]!;
  }

  get rows(): Uint32Array {
    return this.#rows.slice(0, this.#count);
  }
}

function readRows<T extends RowRecord>(rows: Uint32Array, read: RowStage<T>['read']): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const row of sourceRows(rows)) {
        const found = read(row);
        if ('record' in found) yield found.record;
      }
    },
  };
}

/** The rows with these numbers, made again as JSON lines and read back as from a file. */
async function* sourceRows(rows: Uint32Array): AsyncGenerator<SourceRow> {
  let index = 0;
  for await (const row of jsonLineRows(jsonLines(rows), 'synthetic rows')) {
    const said = 'value' in row ? readDatasetRow(row.value) : row;
    yield { ...row, index: index++, file: 'synthetic rows', said: said as DatasetRow };
  }
}

async function* jsonLines(rows: Uint32Array): AsyncGenerator<Buffer> {
  for (const row of rows) yield Buffer.from(`${JSON.stringify(syntheticTrajectory(row))}\n`);
}

if (ownSize === undefined) await compareSizes();
else await measure(Number(ownSize));
