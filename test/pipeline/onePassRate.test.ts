import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChatModel } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { emitRecord, type RecordStage, type SourceStage } from '../../contract/stage.ts';
import { readTaskResults } from '../../evaluation/readTaskResults.ts';
import { scoreTasks } from '../../evaluation/scoreTasks.ts';
import type { OpenedStage, RunStage } from '../../pipeline/run/stageState.ts';
import { passRatesByTask, readTaskRates } from '../../pipeline/run/taskRates.ts';
import { taskChooser } from '../../pipeline/stages/taskChooser.ts';
import { configSchema } from '../../schemas/config/config.ts';
import { judgeConfigSchema } from '../../schemas/config/judge.ts';
import { probeConfigSchema } from '../../schemas/config/probe.ts';
import { failureCauseSchema, isOfPlayer } from '../../schemas/failureCauses.ts';
import { rolloutRates } from '../../schemas/rolloutRates.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { type Task, taskId, taskSchema } from '../../schemas/task.ts';
import { traceTotalsSchema } from '../../schemas/trace.ts';
import { trajectorySchema } from '../../schemas/trajectory.ts';
import { readPassRates } from '../../stages/filter/passRates.ts';
import { createProbeStage } from '../../stages/judge/createProbeStage.ts';
import { cases } from '../support/cases.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runFake } from './support/runFake.ts';

/** How a rollout ends: judged, or with a cause at a stage. */
const endArbitrary = fc.oneof(
  fc.record({ at: fc.constant('judged' as const), verdict: fc.constantFrom('correct', 'incorrect', null) }),
  fc.record({
    at: fc.constantFrom('rollout' as const, 'convert' as const, 'judge' as const),
    cause: fc.constantFrom(...failureCauseSchema.options),
  }),
);
type End = typeof endArbitrary extends fc.Arbitrary<infer T> ? T : never;

function tasksOf(count: number): Task[] {
  return Array.from({ length: count }, (_, at) => {
    const source = { file: 't.jsonl', row: at + 1 };
    const task = {
      question: `What is ${at}?`,
      answers: ['42'],
      domain: 'math' as const,
      profile: 'math',
      source,
    };
    return { ...task, id: taskId(task) };
  });
}

const totals = traceTotalsSchema.parse({
  ...{ model_calls: 1, tool_calls: 0, duration_ms: 1, cost_usd: 0 },
  ...{ prompt_tokens: 1, completion_tokens: 1, cached_tokens: 0 },
});
const quality = { interactions: 0, reflections: 0, plans: 0, redundant_tool_inputs: 0, neutralised: 0 };

/** A run whose rollouts end as they are told, task by task. */
async function runOf(tasks: readonly Task[], ends: readonly (readonly End[])[]): Promise<string> {
  const folder = temporaryFolder();
  const endOf = (task_id: string, rollout: number) =>
    ends[tasks.findIndex(({ id }) => id === task_id)]![rollout]!;
  const source: SourceStage<Task> = {
    ...{ name: 'tasks', version: 1, output: taskSchema },
    async *run() {
      for (const [index, task] of tasks.entries())
        yield { index, recordId: task.id, taskId: task.id, outcome: emitRecord(task) };
    },
  };
  const stage = (
    name: 'probe' | 'rollout' | 'convert' | 'judge',
    make: (of: Rolled) => Rolled,
  ): RecordStage<Rolled, Rolled> => ({
    ...{ name, version: 1, input: anySchema, output: anySchema, concurrency: 4 },
    ...(name === 'rollout' && { rollouts: { min: ends[0]!.length, max: ends[0]!.length } }),
    async run(record, { rollout = record.rollout ?? 0 }) {
      if (name === 'probe') return emitRecord(record);
      const task_id = record.task_id ?? record.id;
      const end = endOf(task_id, rollout);
      if (end.at === name) throw new RecordFailure(end.cause, 'no');
      return emitRecord(make({ ...record, task_id, ...(rollout > 0 && { rollout }) }));
    },
  });
  const stages = [
    { kind: 'source', stage: source },
    { kind: 'record', stage: stage('probe', (of) => of) },
    {
      kind: 'record',
      stage: stage('rollout', (of) => ({
        ...of,
        id: `trace_${of.task_id}_${of.rollout ?? 0}`,
        totals,
        events: [],
      })),
    },
    { kind: 'record', stage: stage('convert', (of) => of) },
    { kind: 'record', stage: stage('judge', (of) => judged(of, endOf(of.task_id!, of.rollout ?? 0))) },
  ] as readonly OpenedStage[];
  const wanted = stages.map(
    (opened): RunStage => ({ stage: opened.stage.name, version: 1, configHash: '', settings: {}, opened }),
  );
  expect(await runFake(folder, { stages: wanted })).toBe('finished');
  return folder;
}

type Rolled = { readonly id: string; readonly task_id?: string; readonly rollout?: number | undefined };
const anySchema = taskSchema.loose().partial().required({ id: true }) as never;

function judged({ task_id, rollout, ...of }: Rolled, end: End): Rolled {
  const judgement = end.at === 'judged' ? end.verdict : null;
  const verdict = {
    subject: 'answer',
    judge: 'number',
    judgement,
    score: Number(judgement === 'correct'),
    evidence: {},
  };
  return trajectorySchema.parse({
    ...{ id: of.id, task_id, trace_id: of.id, profile: 'math', domain: 'math', system: '', user: '' },
    ...{ question: 'q', answers: [], segments: [{ tag: 'answer', origin: 'model', text: '', event: 'e' }] },
    ...(rollout !== undefined && { rollout }),
    quality: { ...quality, first_double_check: null, verdicts: judgement === null ? [] : [verdict] },
  });
}

/** The rate that a model's probe finds whose tries end so; undefined without one that is right or wrong. */
async function probed(task: Task, ends: readonly End[]): Promise<number | undefined> {
  const chat = {
    async chat(_request, _signal, scope) {
      const end = ends[scope!.work.rollout!]!;
      if (end.at === 'judged' && end.verdict !== null)
        return { content: `<answer>${end.verdict === 'correct' ? 42 : 41}</answer>` };
      const own = end.at !== 'judged' && isOfPlayer(end.cause);
      throw new RecordFailure(own ? end.cause : 'unscored', 'no');
    },
  } as ChatModel;
  const stage = createProbeStage({
    probe: probeConfigSchema.parse({ model: { model: 'm' }, tries: ends.length }),
    config: judgeConfigSchema.parse({}),
    ...{ sandbox: undefined, testStore: undefined, openJudgeModel: undefined, concurrency: 1 },
    openModel: async () => ({ chat, sampling: {} }),
    knownOf: async () => undefined,
    finish: async () => {},
  });
  const outcome = await stage.run(task, { signal: new AbortController().signal }).catch(() => undefined);
  const found = outcome?.kind === 'emit' ? outcome.records[0]!.probe : undefined;
  return found && found.passed / found.samples;
}

const runs = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 2, max: 5 }))
  .chain(([tasks, rollouts]) =>
    fc.array(fc.array(endArbitrary, { minLength: rollouts, maxLength: rollouts }), {
      ...{ minLength: tasks, maxLength: tasks },
    }),
  );

/** By the words of the definition, not by its code. */
function rateOf(ends: readonly End[]): number | undefined {
  const results = ends.flatMap((end) => {
    if (end.at === 'judged') return end.verdict === null ? [] : [end.verdict === 'correct'];
    return isOfPlayer(end.cause) ? [false] : [];
  });
  return results.length === 0 ? undefined : results.filter(Boolean).length / results.length;
}

test('run, select, difficulty, RL choice, probe, card, report and evaluation have one rate of a task', async () => {
  await fc.assert(
    fc.asyncProperty(runs, async (ends) => {
      const tasks = tasksOf(ends.length);
      const folder = await runOf(tasks, ends);
      const expected = ends.map(rateOf);
      const lines = await readTaskRates(folder);
      const bySelect = await passRatesByTask(folder);
      const file = join(folder, 'rates.jsonl');
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const difficulty = await readPassRates(file, 'filters.pass_rate.from');
      const choices = new Map<string, number | undefined>();
      const signal = new AbortController().signal;
      const config = configSchema.parse({ tasks: { sources: [{ file: 'x', profile: 'web' }] } });
      for await (const { task, rate } of taskChooser()({ runFolder: folder, config }, () => false, signal))
        choices.set(task.id, rate ? rate.passed / rate.samples : undefined);
      const run = {
        stage_hashes: { tasks: '', probe: '', rollout: '', convert: '', judge: '' },
      } as unknown as RunFile;
      const evaluated = await readTaskResults(folder, run, {
        samples: ends[0]!.length,
        profileOf: () => undefined,
      });
      for (const [at, task] of tasks.entries()) {
        const line = lines.find(({ task_id }) => task_id === task.id);
        const results = evaluated.tasks[at]!.samples.map(({ result }) => result);
        const scored = results.filter((result) => result !== 'unscored');
        const ofEvaluation = scored.filter((result) => result === 'right').length / scored.length;
        expect([
          line && line.samples > 0 ? line.passed / line.samples : undefined,
          bySelect.get(task.id),
          difficulty.rateOf({ task_id: task.id, question: '' }),
          choices.get(task.id),
          await probed(task, ends[at]!),
          scored.length === 0 ? undefined : ofEvaluation,
        ]).toEqual(Array(6).fill(expected[at]));
      }
      const rates = rolloutRates(lines)!;
      const { score, samples } = scoreTasks(evaluated.tasks, { ks: [1] });
      expect(samples).toEqual({ right: rates.right, wrong: rates.wrong, unscored: rates.unscored });
      expect(rates.without_answer).toBe(
        samples.wrong -
          ends.flat().filter((end) => end.at === 'judged' && end.verdict === 'incorrect').length,
      );
      // The tasks come in another order there.
      for (const of of ['value', 'low', 'high'] as const)
        expect(rates.pass_at[1]?.[of] ?? -1).toBeCloseTo(score?.[of] ?? -1, 12);
    }),
    { numRuns: cases(100) },
  );
});
