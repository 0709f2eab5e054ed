import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ifThere } from '../../base/files/diskError.ts';
import { assertPlain, openPlain } from '../../base/files/plainFile.ts';
import { UserError } from '../../base/userError.ts';
import { DATASET_MANIFEST } from '../../contract/stageTable.ts';
import { compareEvaluations } from '../../evaluation/compareEvaluations.ts';
import { readEvaluation, readTaskFile } from '../../evaluation/evaluationFolder.ts';
import type { BenchmarkResult, RoleUse } from '../../evaluation/records/evaluationFile.ts';
import { compareRuns, type RecordChange } from '../../operations/compareRuns.ts';
import type { Finding } from '../../output/check/rules.ts';
import { findRun } from '../../pipeline/run/findRun.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import { valueAt } from '../../schemas/columnPath.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import type { RunSource } from './runSource.ts';

/** Maximum records listed of each kind of difference. */
const MAX_NAMED = 500;

/** Differences of two runs: settings with both values, and first records of each kind. */
export async function compareAnswer(a: RunSource, b: RunSource) {
  const [ofA, ofB] = [await findRun(a.runFolder), await findRun(b.runFolder)];
  const { entered, left, other_repeats, other_reason, settings, ...same } = await compareRuns(ofA, ofB);
  await Promise.all([a.live.grow(), b.live.grow()]);
  const of = (all: readonly RecordChange[]) => ({
    count: all.length,
    first: all.slice(0, MAX_NAMED).map((change) => ({
      ...change,
      question: a.questionOf(change.task_id) ?? b.questionOf(change.task_id) ?? '',
    })),
  });
  return {
    ...same,
    /** Both values as JSON; empty if unset. Equal values name files with different content. */
    settings: settings.map((name) => {
      const text = ({ config }: RunFile) => JSON.stringify(valueAt(config, name)) ?? '';
      return { name, was: text(ofA.run), now: text(ofB.run) };
    }),
    /** Number of changed records, and the first of them. */
    changes: {
      entered: of(entered),
      left: of(left),
      other_repeats: of(other_repeats),
      other_reason: of(other_reason),
    },
  };
}

/** Rows of each file whose tokens are checked, so that a check takes seconds. */
const SAMPLED_ROWS = 20;
const MAX_FINDINGS = 50;
const MAX_CARD_BYTES = 256 * 1024;

/** Checks the first rows of a dataset. Throws `UserError` if there is none. */
export async function checkAnswer(runFolder: string) {
  const first: Finding[] = [];
  const onFinding = (finding: Finding): void => {
    if (first.length < MAX_FINDINGS) first.push(finding);
  };
  const folder = await ownDataset(runFolder);
  const { checkFiles } = await import('../../operations/checkFiles.ts');
  const totals = await checkFiles([folder], { sample: SAMPLED_ROWS, onFinding });
  return { totals, first };
}

/**
 * Dataset folder of a run, safe for any reader.
 *
 * @throws UserError without a dataset, and if one of its files is a link to another place
 */
export async function ownDataset(runFolder: string): Promise<string> {
  const manifest = await readManifest(runFolder);
  if (!manifest) throw new UserError('the run has no dataset yet; finish it with coa-distill run');
  const folder = join(runFolder, dirname(DATASET_MANIFEST));
  for (const { path } of manifest.files)
    await ifThere(assertPlain(join(folder, path), { within: runFolder }));
  return folder;
}

/** Card of a dataset as Markdown; empty if there is none. Throws `UserError` for anything but a plain file. */
export async function cardAnswer(runFolder: string) {
  const card = await ifThere(openPlain(join(runFolder, 'dataset/README.md'), { within: runFolder }));
  return { text: card ? await text(card.createReadStream({ end: MAX_CARD_BYTES })) : '' };
}

const MAX_SAMPLES = 50;

/**
 * Samples of a benchmark from index `from`, filtered by `result` if given.
 *
 * @throws UserError for a benchmark that the evaluation does not have
 */
export async function samplesAnswer(folder: string, benchmark: string, query: URLSearchParams) {
  const { benchmarks } = await readEvaluation(folder);
  if (!benchmarks.some(({ name }) => name === benchmark)) throw new UserError(`no benchmark "${benchmark}"`);
  const wanted = query.get('result');
  const from = Math.max(0, Number(query.get('from') ?? 0) || 0);
  const tasks = await readTaskFile(folder, benchmark);
  const found = tasks.flatMap(({ question, answers, samples }) =>
    samples
      .filter(({ result }) => wanted === null || result === wanted)
      .map((sample) => ({ ...sample, question, answers })),
  );
  return { found: found.length, samples: found.slice(from, from + MAX_SAMPLES) };
}

/**
 * Compares an evaluation with others: their differences, and the first tasks of each benchmark with differing results.
 * Missing benchmarks are null, in the order of the folders.
 */
export async function compareEvaluationsAnswer(folders: readonly string[]) {
  const [first, ...others] = folders;
  const compared = [];
  for (const other of others) compared.push((await compareEvaluations(first!, other)).benchmarks);
  const evaluations = await Promise.all(folders.map((folder) => readEvaluation(folder)));
  const benchmarks = [];
  for (const benchmark of new Set(compared.flat().map((one) => one.benchmark))) {
    const results = evaluations.map((one) => one.benchmarks.find(({ name }) => name === benchmark));
    const having = folders.map((folder, at) => (results[at] ? folder : undefined));
    benchmarks.push({
      benchmark,
      against: compared.map((all) => all.find((one) => one.benchmark === benchmark) ?? null),
      sides: results.map((result) => (result ? useOf(result) : null)),
      differing: (await differingTasks(having, benchmark)).slice(0, MAX_NAMED),
    });
  }
  return { benchmarks };
}

/** Tasks whose share of right samples differs between evaluations. */
async function differingTasks(folders: readonly (string | undefined)[], benchmark: string) {
  const files = await Promise.all(folders.map((folder) => (folder ? readTaskFile(folder, benchmark) : [])));
  const byId = files.map((tasks) => new Map(tasks.map((task) => [task.task_id, task])));
  return files[0]!.flatMap(({ task_id, question }) => {
    const right = byId.map((tasks) => rightOf(tasks.get(task_id)?.samples ?? []) ?? null);
    const known = new Set(right.filter((share) => share !== null));
    return known.size > 1 ? [{ task_id, question, right }] : [];
  });
}

/** Usage of a benchmark's samples and judge; null without recorded calls. */
function useOf({ use_by_role, all: { score, bounds }, too_many_unscored }: BenchmarkResult) {
  const total = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 };
  const figures = Object.keys(total) as (keyof RoleUse)[];
  for (const use of Object.values(use_by_role)) for (const figure of figures) total[figure] += use[figure];
  return { score, bounds, too_many_unscored, use: total.calls > 0 ? total : null };
}

function rightOf(samples: readonly { readonly result: string }[]): number | undefined {
  const scored = samples.filter(({ result }) => result !== 'unscored');
  return scored.length === 0
    ? undefined
    : scored.filter(({ result }) => result === 'right').length / scored.length;
}
