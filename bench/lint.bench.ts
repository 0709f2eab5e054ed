/**
 * How fast `coa-distill lint` goes through a dataset of 200 MB (LINT_BENCH_MB), and how much memory that takes, beside
 * JSON.parse and a plain regular-expression scan of the same rows. Every tenth row has a fault.
 *
 * Goal: memory that stays flat, under 300 MB. Run with `make bench`.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTextLinter } from '../output/lint/createTextLinter.ts';
import { lintFile } from '../output/lint/lintFile.ts';
import { readPieces } from '../output/lint/read/readPieces.ts';
import { openMaskMarker } from '../pipeline/compose/openMaskMarker.ts';
import { builtinProfiles } from '../schemas/coa/profiles/builtin.ts';
import { trajectoryText, writeTrajectories } from './support/trajectoryDataset.ts';

const megabytes = Number(process.env.LINT_BENCH_MB ?? 200);
/** Every tenth row has a fault. */
function rowText(row: number): string {
  const text = trajectoryText(row);
  return row % 10 === 0 ? text.replace('</wiki_search>\n<observation>', '</wiki_search><observation>') : text;
}

const folder = await mkdtemp(path.join(tmpdir(), 'lint-bench-'));
try {
  const file = path.join(folder, 'sft.json');
  await writeTrajectories(file, megabytes, rowText);
  const { size } = await stat(file);
  const speed = (ms: number): string => `${(size / 1e3 / ms).toFixed(0)} MB/s`;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);

  let start = performance.now();
  const texts: number[] = [];
  for await (const piece of readPieces(file, 'json_list')) {
    if (piece.kind === 'row' && 'value' in piece.parsed) texts.push(piece.row);
  }
  console.log(`cut into rows and JSON.parse: ${speed(performance.now() - start)}, ${texts.length} rows`);

  start = performance.now();
  let tags = 0;
  for await (const piece of readPieces(file, 'json_list')) {
    if (piece.kind !== 'row' || !('value' in piece.parsed)) continue;
    const { output } = piece.parsed.value as { output: string };
    for (const _ of output.matchAll(/<\/?[a-z_]+>/g)) tags += 1;
  }
  console.log(
    `the same and a regular expression for tags: ${speed(performance.now() - start)}, ${tags} tags`,
  );

  const linter = createTextLinter(await openMaskMarker());
  const before = process.memoryUsage.rss();
  peak = 0;
  start = performance.now();
  let findings = 0;
  let rows = 0;
  const dataset = { path: file, bytes: size, named: true };
  for await (const row of lintFile(dataset, {
    linter,
    profiles: Object.values(builtinProfiles),
    profile: undefined,
  })) {
    rows += 1;
    findings += row.findings.length;
  }
  clearInterval(watch);
  console.log(
    `lint: ${speed(performance.now() - start)}, ${rows} rows, ${findings} findings, ` +
      `memory ${(before / 1e6).toFixed(0)} MB before, ${(peak / 1e6).toFixed(0)} MB at most`,
  );
} finally {
  await rm(folder, { recursive: true });
}
