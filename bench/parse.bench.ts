/**
 * How fast trajectories are parsed, checked and linted on one core, over 200 MB of them (PARSE_BENCH_MB), beside a
 * plain regular-expression scan of the same texts and JSON.parse of the same rows; how much memory that takes; and
 * whether time grows with length alone: twice the text may take at most 2.3 times as long.
 *
 * Goals: 100 MB/s parsing, under 300 MB of memory. Run with `make bench`.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openRowFile } from '../base/rows/openRowFile.ts';
import { createTextLinter } from '../output/lint/createTextLinter.ts';
import { openMaskMarker } from '../output/lint/mask/maskMarker.ts';
import { checkGrammar, type GrammarFinding } from '../schemas/coa/check.ts';
import { type Block, serializeBlocks } from '../schemas/coa/layout.ts';
import { parseBlocks } from '../schemas/coa/parse.ts';
import { mhqaProfile } from '../schemas/coa/profiles/mhqa.ts';
import { writeTrajectories } from './support/trajectoryDataset.ts';

const megabytes = Number(process.env.PARSE_BENCH_MB ?? 200);
const plainScan = new RegExp(`</?(?:${mhqaProfile.tags.map((rule) => rule.tag).join('|')})>`, 'g');

let peak = 0;
const watchMemory = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};

/** What is timed: a text goes in, a figure comes out, so that no work can be left out. */
type Work = (text: string) => number | Promise<number>;

/** Reads the file once; only the time inside the work counts. */
async function overRows(file: string, work: Work): Promise<{ ms: number; sum: number; bytes: number }> {
  let ms = 0;
  let sum = 0;
  let bytes = 0;
  for await (const piece of (await openRowFile(file)).rows()) {
    if (!('value' in piece)) continue;
    const { output } = piece.value as { output: string };
    const start = performance.now();
    sum += await work(output);
    ms += performance.now() - start;
    bytes += Buffer.byteLength(output);
    watchMemory();
  }
  return { ms, sum, bytes };
}

/** JSON.parse of every row's text alone, as a measure of the machine. */
async function jsonParse(file: string): Promise<{ ms: number; bytes: number }> {
  let ms = 0;
  let bytes = 0;
  for await (const piece of (await openRowFile(file)).rows()) {
    if (!piece.bytes) continue;
    const text = Buffer.from(piece.bytes).toString('utf8');
    const start = performance.now();
    JSON.parse(text);
    ms += performance.now() - start;
    bytes += piece.bytes.length;
    watchMemory();
  }
  return { ms, bytes };
}

/** Prints the time of a text and of its double, round by round in turns, so that both pay for the garbage collector. */
function printGrowth(title: string, textOf: (n: number) => string, n: number): void {
  const texts = [textOf(n), textOf(2 * n)];
  const ms = [0, 0];
  const rounds = 20;
  for (let round = -3; round < rounds; round++) {
    for (const [at, text] of texts.entries()) {
      const start = performance.now();
      parseAndCheck(text);
      if (round >= 0) ms[at]! += (performance.now() - start) / rounds;
    }
  }
  const [a = 0, b = 0] = ms;
  console.log(
    `  ${title}: ${a.toFixed(1)} ms, twice as much ${b.toFixed(1)} ms: ${(b / a).toFixed(2)} times`,
  );
}

function parseAndCheck(text: string): GrammarFinding[] {
  return checkGrammar(mhqaProfile, parseBlocks(mhqaProfile, text).blocks);
}

/** Two blocks and an observation of about so many characters. */
function longObservation(chars: number): string {
  const line = 'if a<b and c > d: see <i>the river</i>\n';
  return serializeBlocks([
    { tag: 'think', origin: 'model', body: 'why' },
    { tag: 'wiki_search', origin: 'model', body: 'q' },
    { tag: 'observation', origin: 'environment', body: line.repeat(chars / line.length) },
  ]);
}

function gradesOfNothing(chars: number): string {
  return `<reflection>${'\n'.repeat(chars)}</reflection>`;
}

/** A valid trajectory of about so many tags. */
function longTrajectory(tags: number): string {
  const model = (tag: string, body: string): Block => ({ tag, origin: 'model', body });
  const hop: Block[] = [
    model('think', 'why'),
    model('wiki_search', 'q'),
    { tag: 'observation', origin: 'environment', body: '\nseen\n' },
  ];
  const hops = Array.from({ length: Math.ceil(tags / 6) }, () => hop);
  const ends = (tag: string) => [model('think', 'so'), model(tag, 'a')];
  return serializeBlocks([...ends('plan'), ...hops.flat(), ...ends('answer')]);
}

const folder = await mkdtemp(path.join(tmpdir(), 'parse-bench-'));
try {
  const file = path.join(folder, 'sft.json');
  const rows = await writeTrajectories(file, megabytes);
  const { size } = await stat(file);
  console.log(`${(size / 1e6).toFixed(0)} MB, ${rows} rows`);
  const line = (title: string, ms: number, bytes: number, more = '') => {
    const memory = `memory ${(peak / 1e6).toFixed(0)} MB at most`;
    console.log(`${title}: ${(bytes / 1e3 / ms).toFixed(0)} MB/s, ${memory}${more}`);
    peak = 0;
  };

  // The parser comes first, while nothing else has left its garbage.
  const parsed = await overRows(file, (text) => parseBlocks(mhqaProfile, text).blocks.length);
  line('parse', parsed.ms, parsed.bytes, `, ${parsed.sum} blocks`);
  const checked = await overRows(file, (text) => parseAndCheck(text).length);
  line('parse and check the grammar', checked.ms, checked.bytes, `, ${checked.sum} findings`);
  const start = performance.now();
  await overRows(file, (text) => parseBlocks(mhqaProfile, text).blocks.length);
  line('file to parsed rows, reading and JSON included', performance.now() - start, size);
  const linter = createTextLinter(await openMaskMarker());
  const linted = await overRows(file, async (text) => (await linter.lint(mhqaProfile, text)).length);
  line('lint, every rule', linted.ms, linted.bytes, `, ${linted.sum} findings`);
  const scan = await overRows(file, (text) => text.match(plainScan)?.length ?? 0);
  line('regular-expression scan for tags', scan.ms, scan.bytes, `, ${scan.sum} tags`);
  const json = await jsonParse(file);
  line('JSON.parse of the rows', json.ms, json.bytes);

  console.log('time for twice the text (goal: at most 2.3 times)');
  printGrowth('10 MB in one observation', longObservation, 10e6);
  printGrowth('100,000 tags', longTrajectory, 100_000);
  printGrowth('100,000 tags that never close', (n) => '<think>'.repeat(n), 100_000);
  printGrowth('10 MB of line feeds in a block of grades', gradesOfNothing, 10e6);
} finally {
  await rm(folder, { recursive: true });
}
