import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { evaluationFileSchema } from '../../evaluation/records/evaluationFile.ts';
import { type Bar, chartOf } from './chart.ts';

/** An arm's files, relative to the folder of the closed loop. */
export interface ArmFiles {
  readonly arm: string;
  /** Folder of the student. */
  readonly model: string;
  readonly losses: string;
  readonly evaluation: string;
  /** The comparison of the masked arm with this one. */
  readonly difference: string;
}

const lossSchema = z.object({ loss: z.number() });
const lossesSchema = z.object({
  model: lossSchema,
  observation: lossSchema,
  calls: z.int(),
  begun: z.int(),
});

const differenceSchema = z.object({
  benchmarks: z.array(
    z.object({
      tasks: z.int(),
      difference: z
        .object({ value: z.number(), low: z.number().nullable(), high: z.number().nullable() })
        .nullable(),
    }),
  ),
});

/**
 * Writes results.md, scores.svg and losses.svg: what the arms came to so far, and from which files. An arm that is
 * trained, and not played yet, has its losses in them.
 */
export function writeResults(folder: string, arms: readonly ArmFiles[]): void {
  const there = arms.filter(({ losses }) => existsSync(path.join(folder, losses)));
  const text = [
    table(
      armHead,
      there.map((files) => armRow(folder, files)),
    ),
    'Seconds of the run that finished a step; two arms are trained and played at once.\n',
    table(['step', 'seconds'], stepSeconds(folder)),
    table(['file', 'sha256'], hashes(folder, there)),
  ].join('\n');
  writeFileSync(path.join(folder, 'results.md'), text);
  const scores = {
    title: 'right answers to held-out questions, with 95% intervals',
    most: 1,
    write: percent,
  };
  const played = there.flatMap((files) => scoreBar(folder, files) ?? []);
  writeFileSync(path.join(folder, 'scores.svg'), chartOf(scores, played));
  const bars = there.map((files) => ({
    name: files.arm,
    value: lossesOf(folder, files).observation.loss,
  }));
  const title = 'loss on observations, which a student has no need to write';
  const losses = { title, most: Math.max(1, ...bars.map(({ value }) => Math.ceil(value))) };
  const write = (value: number) => value.toFixed(2);
  writeFileSync(path.join(folder, 'losses.svg'), chartOf({ ...losses, write }, bars));
}

const read = (folder: string, file: string): unknown =>
  JSON.parse(readFileSync(path.join(folder, file), 'utf8'));

/** The result of an arm's evaluation; undefined where it is not finished. */
function playedBy(folder: string, { evaluation }: ArmFiles) {
  if (!existsSync(path.join(folder, evaluation))) return undefined;
  return evaluationFileSchema.parse(read(folder, evaluation)).benchmarks[0];
}

const lossesOf = (folder: string, { losses }: ArmFiles) => lossesSchema.parse(read(folder, losses));

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

const armHead = [
  'arm',
  'loss on model tokens',
  'loss on observations',
  'would go on to invent',
  'right (95% interval)',
  'masked ahead by',
  'grammar kept',
  'tool calls a task',
  'calls that do not parse',
  'observations invented',
];

function armRow(folder: string, files: ArmFiles): (string | number)[] {
  const { model, observation, calls, begun } = lossesOf(folder, files);
  const losses = [files.arm, model.loss.toFixed(4), observation.loss.toFixed(3), `${begun} of ${calls}`];
  const played = playedBy(folder, files);
  if (!played) return [...losses, 'not played yet', '', '', '', '', ''];
  const { all, grammar, incidents } = played;
  const samples = (name: string) => incidents[name]?.samples ?? 0;
  const { score } = all;
  return [
    ...losses,
    score ? `${percent(score.value)} (${percent(score.low ?? 0)} to ${percent(score.high ?? 1)})` : 'none',
    differenceOf(folder, files),
    `${grammar.kept} of ${grammar.kept + grammar.broken}`,
    all.tool_calls?.value.toFixed(2) ?? 'none',
    samples('malformed_tool_input'),
    samples('invented_observation'),
  ];
}

/** By pairs of tasks. */
function differenceOf(folder: string, { difference }: ArmFiles): string {
  if (!existsSync(path.join(folder, difference))) return '';
  const [benchmark] = differenceSchema.parse(read(folder, difference)).benchmarks;
  const found = benchmark?.difference;
  return found ? `${percent(found.value)} (${percent(found.low ?? -1)} to ${percent(found.high ?? 1)})` : '';
}

function scoreBar(folder: string, files: ArmFiles): Bar | undefined {
  const score = playedBy(folder, files)?.all.score;
  if (!score) return undefined;
  const interval = { low: score.low ?? 0, high: score.high ?? 1 };
  return { name: files.arm, value: score.value, interval };
}

function stepSeconds(folder: string): [string, number][] {
  const done = path.join(folder, 'done');
  return readdirSync(done)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => [
      path.basename(name, '.json'),
      z.object({ seconds: z.number() }).parse(read(done, name)).seconds,
    ]);
}

/** What went in, what was trained on, and what came out of each arm. */
function hashes(folder: string, arms: readonly ArmFiles[]): [string, string][] {
  const runs = ['taught', 'masked', 'half', 'double', 'dropped', 'reference'].flatMap((run) =>
    ['trajectories.jsonl', 'tokenized/data-00000-of-00001.arrow'].map(
      (file) => `runs/${run}/dataset/${file}`,
    ),
  );
  const files = ['closed-loop.yaml', 'passages.jsonl', 'held-out.jsonl', ...runs].concat(
    arms.flatMap(({ model, losses, evaluation }) => [`${model}/model.safetensors`, losses, evaluation]),
  );
  const there = files.filter((file) => existsSync(path.join(folder, file)));
  return there.map((file) => [
    file,
    createHash('sha256')
      .update(readFileSync(path.join(folder, file)))
      .digest('hex'),
  ]);
}

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
