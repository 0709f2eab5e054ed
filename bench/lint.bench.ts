/**
 * How fast `coa-distill lint` goes through a dataset of 200 MB (LINT_BENCH_MB), and how much memory that takes, beside
 * JSON.parse and a plain regular-expression scan of the same rows. Every tenth row has a fault.
 *
 * Goal: memory that stays flat, under 300 MB. Run with `make bench`.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { openMaskMarker } from '../pipeline/cli/lint/openMaskMarker.ts';
import { type Block, observationBody, serialize } from '../schemas/coa/layout.ts';
import { builtinProfiles } from '../schemas/coa/profiles/builtin.ts';
import { createTextLinter } from '../stages/lint/createTextLinter.ts';
import { lintFile } from '../stages/lint/lintFile.ts';
import { readPieces } from '../stages/lint/read/readPieces.ts';

const megabytes = Number(process.env.LINT_BENCH_MB ?? 200);
const page =
  'The Danube rises in the Black Forest, "Donaueschingen", and flows 2,850 km to the sea: Wien, Budapest, Београд.\n';

function rowText(row: number): string {
  const model = (tag: string, body: string): Block => ({ tag, origin: 'model', body });
  const hops = Array.from({ length: 6 }, (_, hop): Block[] => [
    model('think', `Row ${row}, hop ${hop}: what does the next passage say about the river?`),
    model('wiki_search', `river ${row} passage ${hop}`),
    {
      tag: 'observation',
      origin: 'environment',
      body: observationBody(page.repeat(12 + ((row + hop) % 9))),
    },
  ]);
  const text = serialize([
    model('think', `Row ${row} needs a plan.`),
    model('plan', '1. search\n2. answer'),
    ...hops.flat(),
    model('think', `Row ${row} is clear.`),
    model('answer', 'Danube'),
  ]);
  return row % 10 === 0 ? text.replace('</wiki_search>\n<observation>', '</wiki_search><observation>') : text;
}

async function writeDataset(file: string): Promise<void> {
  const stream = createWriteStream(file);
  stream.write('[\n');
  for (let row = 0, bytes = 0; bytes < megabytes * 1e6; row++) {
    const json = `${row === 0 ? '' : ',\n'}${JSON.stringify({ instruction: 'Answer.', input: `Question: row ${row}?`, output: rowText(row) })}`;
    bytes += Buffer.byteLength(json);
    if (!stream.write(json)) await new Promise<void>((resolve) => stream.once('drain', () => resolve()));
  }
  stream.end('\n]\n');
  await finished(stream);
}

const folder = await mkdtemp(path.join(tmpdir(), 'lint-bench-'));
try {
  const file = path.join(folder, 'sft.json');
  await writeDataset(file);
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
