/**
 * How fast rows become parquet, beside pyarrow: 50,000 rows (PARQUET_BENCH_ROWS) of 8,000 characters of mixed text,
 * 2,000 ids and a mask, ZSTD at the same level, row groups of as many rows, each writer in a process of its own.
 * pyarrow is that of `make trainers`; without it, only our own figures are printed.
 *
 * Goals: at most 1.5 times pyarrow's time, under 700 MB of memory at any number of rows. Run with `make bench`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AtomicFile } from '../base/files/atomicFile.ts';
import { arrowStreamFile } from '../output/dataset/files/columnFiles.ts';
import { tokeniseRow } from '../output/rows/tokeniseRow.ts';
import { loadTokenizer } from '../output/tokenizers/loadTokenizer.ts';
import { mixedRows } from './support/mixedRows.ts';
import { type ParquetRow, parquetRowColumns } from './support/parquetRows.ts';

const count = Number(process.env.PARQUET_BENCH_ROWS ?? 50_000);
/** No row group holds a row twice. */
const distinctRows = 1_000;
const rowsPerGroup = 500;
const python = path.resolve(import.meta.dirname, '../.venv-trainers/bin/python');

/** What a writer says of itself. */
interface Figures {
  readonly wall_s: number;
  readonly cpu_s: number;
  readonly peak_rss_mb: number;
  readonly file_mb: number;
}

const folder = await mkdtemp(path.join(tmpdir(), 'parquet-bench-'));
try {
  const source = path.join(folder, 'rows.arrow');
  await writeRows(source);
  const script = path.join(import.meta.dirname, 'support/writeParquet.ts');
  const ours = [1, 2, 3].map((nth) =>
    run(process.execPath, [script, source, `${folder}/ours-${nth}`, `${count}`]),
  );
  print('coa-distill', ours);
  print(`coa-distill, ${count * 4} rows`, [
    run(process.execPath, [script, source, `${folder}/more`, `${count * 4}`]),
  ]);
  if (existsSync(python)) {
    const theirs = [1, 2, 3].map((nth) =>
      run(python, [
        path.join(import.meta.dirname, 'python/write_parquet.py'),
        source,
        `${folder}/theirs-${nth}`,
        `${count}`,
        `${rowsPerGroup}`,
      ]),
    );
    print('pyarrow', theirs);
    const cpu = median(ours).cpu_s / median(theirs).cpu_s;
    const wall = median(ours).wall_s / median(theirs).wall_s;
    console.log(`times pyarrow's: ${cpu.toFixed(2)} CPU, ${wall.toFixed(2)} by the clock`);
  } else console.log('pyarrow: not measured, run make trainers first');
} finally {
  await rm(folder, { recursive: true });
}

async function writeRows(file: string): Promise<void> {
  const rows: ParquetRow[] = [];
  const tokenizer = await loadTokenizer('qwen2.5');
  for (const pieces of mixedRows()) {
    const { inputIds, lossMask } = await tokeniseRow(pieces, tokenizer);
    if (inputIds.length < 2_000) continue;
    const text = pieces
      .map((piece) => piece.text)
      .join('')
      .slice(0, 8_000)
      .toWellFormed();
    rows.push({ text, inputIds: inputIds.slice(0, 2_000), lossMask: lossMask.slice(0, 2_000) });
    if (rows.length === distinctRows) break;
  }
  const written = await AtomicFile.create(file);
  const arrow = arrowStreamFile(written, parquetRowColumns);
  for (const row of rows) await arrow.add(row);
  await arrow.finish();
  await written.commit();
}

function run(program: string, args: readonly string[]): Figures {
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as Figures;
}

function median(figures: readonly Figures[]): Figures {
  return figures.toSorted((a, b) => a.cpu_s - b.cpu_s)[Math.floor(figures.length / 2)]!;
}

function print(title: string, figures: readonly Figures[]): void {
  const { wall_s, cpu_s, peak_rss_mb, file_mb } = median(figures);
  console.log(
    `${title}: ${wall_s.toFixed(1)} s, ${cpu_s.toFixed(1)} CPU s, ` +
      `${peak_rss_mb.toFixed(0)} MB of memory at most, file of ${file_mb.toFixed(0)} MB`,
  );
}
