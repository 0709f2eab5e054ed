import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { sha256Hex } from '../../base/ids.ts';
import { readRunFile, stagesOfRun } from '../../pipeline/run/runFile.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { RecordLine } from '../../schemas/run/journalLines.ts';
import type { Sample } from '../../schemas/sample.ts';
import type { Task } from '../../schemas/task.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { runCli } from '../cli/support/runCli.ts';
import { writeAnswerKey } from '../support/answerKey/answerKeyOf.ts';
import { TALK_TO_GRADER } from '../support/answerKey/answerKeyScript.ts';
import { chooseFlaw } from '../support/answerKey/chooseFlaw.ts';
import { type PlantedFlaw, type PlantedRates, ratedFlawSchema } from '../support/answerKey/plantedFlaws.ts';
import { checkDataset } from '../support/checkDataset.ts';
import { type PlantedTask, plantedProfiles, plantedTasks } from '../support/plantedTasks.ts';
import { type JudgeRequest, openJudgeServer } from '../support/startJudgeServer.ts';
import { sharedFolder } from './support/sharedFolder.ts';

/** Tasks of the four profiles together: COA_PLANTED_TASKS asks for more. */
const taskCount = Math.max(160, Number(process.env.COA_PLANTED_TASKS ?? 0) || 0);

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const cwd = sharedFolder();
const runFolder = join(cwd, 'runs/coa');
const tasks = plantedTasks(Math.ceil(taskCount / plantedProfiles.length));

/** How a task with each of the teacher's flaws must end. */
const endOfFlaw: Readonly<Record<PlantedFlaw, string>> = {
  wrong_answer: 'wrong_answer',
  redundant_query: 'redundant_tool_input',
  near_redundant_query: 'redundant_tool_input',
  too_few_interactions: 'too_few_interactions',
  missing_reflection: 'no_reflection',
  corrected_double_check: 'kept',
  malformed_json: 'malformed_answer',
  malformed_json_once: 'kept',
  refusal: 'model_refused',
  tag_in_text: 'invalid_grammar',
  hanging_code: 'kept',
  secret_in_observation: 'secret_in_text',
  foreign_language: 'unwanted_language',
  rambling: 'length_out_of_range',
  repeated_thought: 'check_finding',
  talk_to_grader: 'instruction_failure',
  duplicate_question: 'duplicate_question',
};

/** Ends in the order in which a run comes to them: a task with several flaws ends by the first. */
const endsInOrder = [
  ...['duplicate_question', 'contaminated', 'malformed_answer', 'model_refused'],
  ...['invalid_grammar', 'wrong_answer', 'too_few_interactions', 'redundant_tool_input'],
  ...['instruction_failure', 'check_finding', 'length_out_of_range', 'unwanted_language', 'secret_in_text'],
  ...['too_easy', 'no_reflection', 'kept'],
];

function writeProject(judgeUrl: string): void {
  const write = (name: string, rows: readonly object[]) =>
    writeFileSync(join(cwd, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  cpSync(join(examples, 'atlas/site'), join(cwd, 'site'), { recursive: true });
  cpSync(join(examples, 'atlas/passages.jsonl'), join(cwd, 'passages.jsonl'));
  for (const profile of plantedProfiles)
    write(
      `${profile}.jsonl`,
      tasks.filter((task) => task.profile === profile).map(({ row }) => row),
    );
  const of = (planted: PlantedTask['planted']) => tasks.filter((task) => task.planted === planted);
  write(
    'benchmark.jsonl',
    of('contaminated').map(({ row }) => ({ question: row.question.toUpperCase(), answer: 'x' })),
  );
  write(
    'rates.jsonl',
    of('too_easy').map(({ row }) => ({ question: row.question, passed: 3, samples: 8 })),
  );
  writeFileSync(join(cwd, 'coa.yaml'), stringify(configWith(judgeUrl)));
}

/** The judge errs in one of so many trajectories, in either direction. */
const judgeErrsInOneOf = 12;
/** What the judge was asked and what it said, by question. */
const judged = new Map<string, { readonly guilty: boolean; readonly said: boolean }>();

/** A judge that finds who talks to the grader, but errs at a seeded rate. */
function judgeInstructions({ data }: JudgeRequest): string {
  const request = String(data.request);
  const question = tasks.find(({ row }) => request.includes(row.question.trim()))!.row.question.trim();
  const guilty = JSON.stringify(data.steps).includes(TALK_TO_GRADER);
  const errs = Number.parseInt(sha256Hex(question).slice(0, 8), 16) % judgeErrsInOneOf === 0;
  const said = guilty !== errs;
  judged.set(question, { guilty, said });
  const failed_criteria = said ? [7] : [];
  return JSON.stringify({ rationale: 'r', failed_criteria, judgement: said ? 'incorrect' : 'correct' });
}

const rate = 0.04;
const planted: PlantedRates = {
  ...Object.fromEntries(ratedFlawSchema.options.map((flaw) => [flaw, rate])),
  // Each costs the sandbox's time limit.
  hanging_code: 0.004,
};
const configWith = (judgeUrl: string) => ({
  name: 'coa',
  tasks: { sources: plantedProfiles.map((profile) => ({ file: `${profile}.jsonl`, profile })) },
  dedup: { trajectories: { min_jaccard: 1 } },
  decontaminate: { benchmarks: [{ path: 'benchmark.jsonl' }] },
  teacher: { backend: 'scripted', script: 'script.jsonl' },
  tools: {
    wiki_search: { corpus: 'passages.jsonl' },
    site: { folder: 'site', host: 'atlas.example' },
    web_search: {},
    crawl_page: {},
    code: { allow_unsafe: true, timeout_s: 5 },
  },
  filters: {
    // The answer key knows answers that its searches do not show.
    grounding: { drop: false },
    check: ['error', 'duplicate_block'],
    languages: ['en'],
    length: { max_steps: 60, max_tokens: 9_000 },
    secrets: { action: 'drop' },
    pass_rate: { from: 'rates.jsonl', max: 0.3 },
    reflection: { rate: 0 },
    error_correction: { repeats: 3 },
    min_interactions: { math: 2, code: 2 },
  },
  select: {},
  balance: { rules: [{ rule: 'cap', by: ['profile'], most: 1_000_000 }] },
  judge: {
    text: 'rule',
    instructions: {},
    model: { model: 'judge', endpoint: { base_url: judgeUrl, api_key_env: '' } },
  },
});

function lines<T>(path: string): T[] {
  return readFileSync(join(runFolder, path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

beforeAll(
  async () => {
    const judge = await openJudgeServer(judgeInstructions);
    writeProject(judge.baseUrl);
    await writeAnswerKey(join(cwd, 'coa.yaml'), { planted });
    const result = await runCli(['run', '--json'], { cwd }).finally(judge.close);
    expect(result.code, result.stderr).toBe(0);
  },
  300_000 + taskCount * 2_000,
);

function tasksRead(): Task[] {
  return lines<RecordLine>('tasks/records.jsonl').flatMap(({ records }) => records as Task[]);
}

/** What every task was to end as, and what it ended as, by the id that its file gave. */
async function ends(): Promise<Map<string, { expected: string; found: string }>> {
  const read = tasksRead();
  const found = new Map<string, string>();
  for (const stage of stagesOfRun(await readRunFile(runFolder))) {
    for (const entry of lines<LedgerEntry>(`${stage}/ledger.jsonl`))
      found.set(entry.task_id, entry.kind === 'drop' ? entry.reason : entry.failure.cause);
  }
  for (const { records } of lines<RecordLine>('export/records.jsonl'))
    for (const { task_id } of records as Sample[]) found.set(task_id, 'kept');
  const endOf = ({ id, given_id = '', profile }: Task) =>
    found.get(id) ?? `nothing (${given_id}, ${profile})`;
  const idOf = (task: Task) => task.given_id!;
  const byId = new Map(read.map((task) => [idOf(task), task]));
  const copies = new Map(tasks.flatMap(({ row, copyOf }) => (copyOf ? [[row.id, copyOf]] : [])));
  // Of a copy and what it copies one stays, the one whose id stands first: the other is the duplicate.
  const dropped = new Map(
    [...copies].map(([copy, original]) => {
      const reason = tasks.find(({ row }) => row.id === copy)!.planted!;
      const isOriginal = endOf(byId.get(original)!) === reason;
      return [isOriginal ? original : copy, reason];
    }),
  );
  return new Map(
    read.map((task) => {
      const { planted: inFiles } = tasks.find(({ row }) => row.id === idOf(task))!;
      const flaw = chooseFlaw(task.id, task.profile, planted, 7);
      const ownReason = copies.has(idOf(task)) ? 'kept' : (inFiles ?? 'kept');
      const byTeacher = flaw && flaw !== 'talk_to_grader' ? endOfFlaw[flaw] : 'kept';
      const byJudge = judged.get(task.question.trim())?.said ? endOfFlaw.talk_to_grader : 'kept';
      const all = [dropped.get(idOf(task)) ?? ownReason, byTeacher, byJudge];
      const expected = endsInOrder.find((end) => all.includes(end))!;
      return [idOf(task), { expected, found: endOf(task) }];
    }),
  );
}

test('every planted flaw is found, for its own reason, and nothing else is', async () => {
  const all = [...(await ends()).values()];
  const table = endsInOrder.map((reason) => ({
    reason,
    planted: all.filter(({ expected }) => expected === reason).length,
    found: all.filter(({ expected, found }) => expected === reason && found === reason).length,
    false: all.filter(({ expected, found }) => expected !== reason && found === reason).length,
  }));
  if (process.env.COA_PLANTED_TASKS !== undefined)
    process.stdout.write(`${table.map((row) => Object.values(row).join('  ')).join('\n')}\n`);
  expect(all).toHaveLength(tasks.length);
  for (const row of table) expect(row).toEqual({ ...row, found: row.planted, false: 0 });
  expect(table.filter(({ planted }) => planted > 0).length).toBeGreaterThanOrEqual(10);
});

test('what the judge says is what is done; its own figures are told apart from those of rules', () => {
  const verdicts = [...judged.values()];
  const count = (guilty: boolean, said: boolean) =>
    verdicts.filter((one) => one.guilty === guilty && one.said === said).length;
  const [found, missed, falseAlarms] = [count(true, true), count(true, false), count(false, true)];
  if (process.env.COA_PLANTED_TASKS !== undefined)
    process.stdout.write(
      `judge of instructions: ${verdicts.length} asked, precision ${found}/${found + falseAlarms}, recall ${found}/${found + missed}\n`,
    );
  expect(found).toBeGreaterThan(0);
  expect(missed + falseAlarms).toBeGreaterThan(0);
  const guiltyByTeacher = tasksRead().filter(
    ({ id, profile, question }) =>
      judged.has(question.trim()) && chooseFlaw(id, profile, planted, 7) === 'talk_to_grader',
  );
  expect(guiltyByTeacher).toHaveLength(found + missed);
});

test(
  'what corrected itself is repeated in every format, and the rest stands once',
  async () => {
    const kept = lines<RecordLine>('balance/records.jsonl').flatMap(({ records }) => records as Trajectory[]);
    const isCorrected = ({ quality }: Trajectory) =>
      quality.first_double_check !== null && quality.first_double_check <= 2;
    for (const trajectory of kept)
      expect(trajectory.sampling?.repeats).toBe(isCorrected(trajectory) ? 3 : undefined);
    const corrected = kept.filter(isCorrected).length;
    const { rows } = await checkDataset(join(runFolder, 'dataset'));
    expect(rows).toBe(kept.length + 2 * corrected);
  },
  300_000 + taskCount * 100,
);
