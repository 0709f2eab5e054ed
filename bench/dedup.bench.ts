import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { sha256Hex } from '../base/ids.ts';
import { DuplicateIndex } from '../stages/dedup/index/duplicateIndex.ts';
import { Shingler } from '../stages/dedup/shingles/shingler.ts';
import { plainJaccard, plantedCorpus } from '../test/support/plantedDuplicates.ts';

/**
 * How many documents a second are searched for near duplicates, on one core, and how many of them are found: 20,000
 * documents of 8 KB (DEDUP_BENCH_DOCUMENTS), every tenth made from the one before by insertions, deletions,
 * reorderings or synonyms at Jaccard similarities from 0.6 to 0.97. Beside shingling alone, and beside PyPI's `rensa`
 * and `datasketch` in a Python environment that is made for it: shingles of five words and a threshold of 0.8 for all.
 *
 * Goals: 10,000 documents a CPU second, 0.8 of shingling alone, recall and precision no worse than theirs. Run with
 * `make bench`.
 */

const documents = Number(process.env.DEDUP_BENCH_DOCUMENTS ?? 20_000);
const rounds = 5;
const threshold = 0.8;
const shingle = 5;
/** What the peers' documentation recommends at this threshold: 128 numbers, of which equal bands of 8 make a candidate. */
const peerBands = { bands: 16, rows: 8 };
const packages = ['rensa==0.5.0', 'datasketch==2.0.0', 'numpy==2.4.6', 'scipy==1.17.1'];

/** Where environments are kept between clones, as `scripts/setup-trainers.sh` does. */
const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'coa-distill/venvs');

/** Two places in the corpus, the lesser first. */
type Pair = readonly [number, number];

const folder = await mkdtemp(path.join(tmpdir(), 'dedup-bench-'));
try {
  const textFile = path.join(folder, 'texts.json');
  const similarities = await writeCorpus(textFile);
  const texts = JSON.parse(await readFile(textFile, 'utf8')) as string[];
  const kilobytes = texts.reduce((sum, text) => sum + text.length, 0) / texts.length / 1e3;
  const alike = [...similarities.values()].filter((similarity) => similarity >= threshold).length;
  console.log(
    `${documents} documents of ${kilobytes.toFixed(1)} kB, ${similarities.size} planted, ${alike} of them at ${threshold} and more`,
  );

  const shingling: number[] = [];
  const whole: number[] = [];
  let found: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    shingling.push(cpuSeconds(() => shingleAll(texts)));
    const start = process.cpuUsage();
    found = await findAll(texts);
    whole.push(cpuSecondsSince(start));
  }
  print('shingling alone', median(shingling));
  print('coa-distill', median(whole), figuresOf(found, similarities));
  const shares = whole.map((seconds, round) => shingling[round]! / seconds);
  console.log(
    `  ${median(shares).toFixed(2)} of shingling alone (${shares.map((share) => share.toFixed(2)).join(', ')}); ` +
      `most memory ${(process.resourceUsage().maxRSS / 1e6).toFixed(2)} GB, texts included`,
  );

  const python = pythonEnvironment('dedup-bench', packages);
  if (!python) console.log('rensa, datasketch: not measured, there is no Python with them');
  for (const name of python ? (['rensa', 'datasketch'] as const) : []) {
    const peer = askPeer(python!, name, textFile);
    const candidates = peer.pairs.map(([a, b]): Pair => [a, b]);
    const estimated = peer.pairs.filter(([, , estimate]) => estimate >= threshold);
    print(`${name}, candidates`, peer.cpuSeconds, figuresOf(candidates, similarities));
    print(
      `${name}, by estimate`,
      peer.cpuSeconds,
      figuresOf(
        estimated.map(([a, b]): Pair => [a, b]),
        similarities,
      ),
    );
  }
} finally {
  await rm(folder, { recursive: true });
}

/** Writes the texts and gives the true similarity of each planted pair, by `keyOf`. */
async function writeCorpus(file: string): Promise<Map<string, number>> {
  const options = { documents, planted: 0.1, wordsPerDocument: 1_190, seed: 8, shingleWords: shingle };
  const texts: string[] = [];
  const similarities = new Map<string, number>();
  for (const { text, original } of plantedCorpus(options)) {
    if (original !== undefined) {
      similarities.set(keyOf([original, texts.length]), plainJaccard(text, texts[original]!, shingle));
    }
    texts.push(text);
  }
  await writeFile(file, JSON.stringify(texts));
  return similarities;
}

function shingleAll(texts: readonly string[]): void {
  const shingler = new Shingler(shingle);
  for (const text of texts) shingler.read(text);
}

async function findAll(texts: readonly string[]): Promise<Pair[]> {
  const index = new DuplicateIndex({ shingle, threshold, spillFolder: folder });
  for (const [place, text] of texts.entries()) index.add({ id: String(place), text });
  const { kept } = await index.cluster(new AbortController().signal);
  index.close();
  return [...kept].flatMap((stays, place): Pair[] =>
    stays === place ? [] : [[Math.min(stays, place), Math.max(stays, place)]],
  );
}

function askPeer(python: string, name: string, textFile: string) {
  const script = path.resolve(import.meta.dirname, 'python/find_duplicates.py');
  const { bands, rows } = peerBands;
  const output = execFileSync(python, [script, name, textFile, threshold, bands, rows].map(String), {
    maxBuffer: 1e9,
  });
  const pair = z.tuple([z.number(), z.number(), z.number()]);
  return z.object({ cpuSeconds: z.number(), pairs: z.array(pair) }).parse(JSON.parse(output.toString()));
}

/** Recall among pairs that reach the threshold, and 0.05 above; precision among all pairs found. */
function figuresOf(pairs: readonly Pair[], similarities: ReadonlyMap<string, number>): string {
  const found = new Set(pairs.map(keyOf));
  const recall = (least: number): string => {
    const wanted = [...similarities].filter(([, similarity]) => similarity >= least);
    return `${wanted.filter(([key]) => found.has(key)).length}/${wanted.length}`;
  };
  const right = [...found].filter((key) => (similarities.get(key) ?? 0) >= threshold).length;
  return (
    `recall ${recall(threshold)}, from ${(threshold + 0.05).toFixed(2)} on ${recall(threshold + 0.05)}, ` +
    `precision ${(right / found.size).toFixed(4)} (${found.size - right} wrong)`
  );
}

function keyOf(pair: Pair): string {
  return `${pair[0]} ${pair[1]}`;
}

function print(name: string, seconds: number, figures = ''): void {
  console.log(`${name}: ${(documents / seconds).toFixed(0)} documents a CPU second; ${figures}`);
}

function cpuSeconds(work: () => void): number {
  const start = process.cpuUsage();
  work();
  return cpuSecondsSince(start);
}

function cpuSecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/**
 * A Python with exactly these packages, `name==version` each; made once, in the user's cache folder. Undefined where
 * there is no Python 3 with venv, or the packages can't be had: what went wrong stands on standard error.
 */
function pythonEnvironment(name: string, packages: readonly string[]): string | undefined {
  const folder = path.join(cache, `${name}-${sha256Hex(packages.join('\n')).slice(0, 16)}`);
  const python = path.join(folder, 'bin/python');
  const complete = path.join(folder, '.complete');
  if (existsSync(complete)) return python;
  try {
    rmSync(folder, { recursive: true, force: true });
    run('python3', ['-m', 'venv', folder]);
    run(python, ['-m', 'pip', 'install', '-qq', '--no-input', '--disable-pip-version-check', ...packages]);
    writeFileSync(complete, '');
    return python;
  } catch {
    return undefined;
  }
}

function run(command: string, parameters: readonly string[]): void {
  execFileSync(command, parameters, { stdio: ['ignore', 'ignore', 'inherit'] });
}
