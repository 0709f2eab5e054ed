import { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import {
  type CorpusStage,
  dropRecord,
  emitRecord,
  type Identified,
  type RecordStage,
  type SourceStage,
  type StageOutcome,
} from '../../../contract/stage.ts';
import type { StageName } from '../../../contract/stageTable.ts';
import type { OpenedStage, RunStage } from '../../../pipeline/run/stageState.ts';
import { mostRollouts, type RolloutPlan } from '../../../schemas/config/rollouts.ts';
import { traceTotalsSchema } from '../../../schemas/trace.ts';

/** A record of the fake stages: it carries what becomes of it. */
export const fakeRecordSchema = z.object({
  id: z.string(),
  task_id: z.string(),
  rollout: z.int().optional(),
  repairs: z.int().optional(),
  fate: z.string(),
  profile: z.string().optional(),
  totals: z.json().optional(),
  quality: z.json().optional(),
});
/** See {@link fakeRecordSchema}. */
export type FakeRecord = z.infer<typeof fakeRecordSchema>;

/** The fates that a fake task can have in the record stage. */
export const fates = ['emit', 'emit_two', 'emit_none', 'drop', 'fail', 'throw'] as const;

/** A pipeline of three fake stages, and which records its record stage was asked about. */
export interface FakePipeline {
  readonly stages: readonly RunStage[];
  readonly asked: string[];
}

/** Settings of the fake stages: each is a letter that stands in what the stage makes. */
export interface FakeSettings {
  readonly rollout: string;
  readonly export: string;
}

/**
 * A source, a record stage and a corpus stage.
 *
 * @param plan the fate of each task, and how many turns of the event loop it takes; its length is the source's setting
 */
export function fakePipeline(
  plan: readonly FakePlan[],
  concurrency: number,
  settings: FakeSettings = { rollout: '', export: '' },
): FakePipeline {
  const asked: string[] = [];
  const tasks = source(plan.map(({ fate }) => fate));
  const working = recordStage('rollout', { plan, concurrency, asked, letter: settings.rollout });
  return {
    asked,
    stages: [
      want({ kind: 'source', stage: tasks }, { limit: plan.length }, plan.length),
      want({ kind: 'record', stage: working }, { letter: settings.rollout }, plan.length, settings.rollout),
      want(
        { kind: 'corpus', stage: dedup(settings.export) },
        { letter: settings.export },
        plan.length,
        settings.rollout,
        settings.export,
      ),
    ],
  };
}

/** A pipeline whose record stages work together, and which records each of them was asked about. */
export interface FakeChain {
  readonly stages: readonly RunStage[];
  readonly asked: Readonly<Record<(typeof chained)[number], string[]>>;
}

/** The record stages of {@link fakeChain}, in order. */
export const chained = ['rollout', 'convert', 'judge', 'filter'] as const;

/** What becomes of a task at the stages of {@link fakeChain}: it ends at the first that does not emit it. */
export type ChainPlan = Readonly<
  Record<
    (typeof chained)[number],
    Omit<FakePlan, 'fate'> & { readonly fate: 'emit' | 'emit_none' | 'drop' | 'fail' }
  >
>;

/**
 * A source, four record stages and a corpus stage. `seen` is told of each record that a record stage begins. Of `plan`
 * each task takes as many entries as it may have rollouts.
 */
export function fakeChain(
  plan: readonly ChainPlan[],
  concurrency: number,
  {
    seen = () => {},
    rollouts = { min: 1, max: 1 },
  }: { readonly seen?: FakeWork['seen']; readonly rollouts?: RolloutPlan } = {},
): FakeChain {
  const most = mostRollouts(rollouts);
  const asked = { rollout: [], convert: [], judge: [], filter: [] };
  const stages = chained.map((name) => {
    const own = { plan: plan.map((task) => task[name]), concurrency, asked: asked[name], letter: '', most };
    const often = name === 'rollout' && { rollouts };
    return want({ kind: 'record', stage: recordStage(name, { ...own, ...often, seen }) }, {}, name);
  });
  const tasks = source(Array.from({ length: plan.length / most }, () => 'emit'));
  return {
    asked,
    stages: [
      want({ kind: 'source', stage: tasks }, {}, plan.length),
      ...stages,
      want({ kind: 'corpus', stage: dedup('') }, {}, 'export'),
    ],
  };
}

function want(opened: OpenedStage, own: JsonObject, ...shaping: unknown[]): RunStage {
  const { name, version } = opened.stage;
  return { stage: name, version, configHash: JSON.stringify(shaping), settings: own, opened };
}

const totals = traceTotalsSchema.parse({
  ...{ model_calls: 2, tool_calls: 0, duration_ms: 1, cost_usd: 0.5 },
  ...{ prompt_tokens: 90, completion_tokens: 10, cached_tokens: 0 },
});

function source(planned: readonly string[]): SourceStage<FakeRecord> {
  return {
    name: 'tasks',
    version: 1,
    output: fakeRecordSchema,
    async *run() {
      for (const [index, fate] of planned.entries()) {
        const id = `t${index}`;
        const profile = index % 3 === 0 ? 'web' : 'mhqa';
        const task = { id, task_id: id, fate, profile, totals };
        yield { index, recordId: id, taskId: id, outcome: emitRecord(task) };
      }
    },
  };
}

/** What becomes of a task at a stage, and how many turns of the event loop that takes. */
interface FakePlan {
  readonly fate: (typeof fates)[number];
  readonly turns: number;
  /** What the judge finds; absent for other stages. */
  readonly correct?: boolean;
}

/** What a fake record stage does. */
export interface FakeWork {
  readonly plan: readonly FakePlan[];
  readonly concurrency: number;
  readonly asked: string[];
  readonly letter: string;
  readonly rollouts?: RolloutPlan;
  /** How many entries of the plan each task has. */
  readonly most?: number;
  readonly seen?: (stage: StageName, record: FakeRecord) => void | Promise<void>;
}

function recordStage(
  name: StageName,
  { plan, concurrency, asked, letter, seen, rollouts, most = 1 }: FakeWork,
): RecordStage<FakeRecord, FakeRecord> {
  const named = ({ id, rollout: of }: FakeRecord, rollout: number) => (of ? id : `${id}r${rollout}`);
  return {
    name,
    version: 1,
    input: fakeRecordSchema,
    output: fakeRecordSchema,
    concurrency,
    ...(rollouts && { rollouts }),
    async run(task, { signal, attempt = 0, rollout = task.rollout ?? 0, wrongTry }) {
      const second = wrongTry && { repairs: wrongTry.rollout ?? 0 };
      const record = rollout === 0 ? task : { ...task, id: named(task, rollout), rollout, ...second };
      asked.push(attempt === 0 ? record.id : `${record.id}#${attempt}`);
      await seen?.(name, record);
      const {
        fate = 'emit',
        turns = 0,
        correct,
      } = plan[Number(record.task_id.slice(1)) * most + rollout] ?? {};
      for (let turn = 0; turn < turns; turn++) {
        await new Promise(setImmediate);
        // As real stages do: work that is cut off looks like any other failure.
        if (signal.aborted) throw new Error('connection was cut');
      }
      const quality = correct !== undefined && { quality: { verdicts: [verdictOf(correct)] } };
      return outcomeOf({ ...record, fate, ...quality }, letter);
    },
  };
}

function outcomeOf(record: FakeRecord, letter: string): StageOutcome<FakeRecord> {
  const child = (n: number): FakeRecord => ({ ...record, id: `${record.id}.${n}${letter}` });
  switch (record.fate) {
    case 'emit':
      return emitRecord(child(0));
    case 'emit_two':
      return { kind: 'emit', records: [child(0), child(1)] };
    case 'emit_none':
      return { kind: 'emit', records: [] };
    case 'drop':
      return dropRecord('wrong_answer', { got: record.id });
    case 'fail':
      return {
        kind: 'fail',
        failure: { cause: 'model_refused', message: 'no', retryable: false, evidence: {} },
      };
    default:
      throw new Error(`stage stumbled over ${record.id}`);
  }
}

function dedup(letter: string): CorpusStage<FakeRecord, FakeRecord> {
  return {
    name: 'export',
    version: 1,
    input: fakeRecordSchema,
    output: fakeRecordSchema,
    async *run(records: AsyncIterable<Identified>) {
      let index = 0;
      for await (const record of records as AsyncIterable<FakeRecord>) {
        const outcome: StageOutcome<FakeRecord> =
          index % 5 === 4
            ? dropRecord('too_long', { index })
            : emitRecord({ ...record, id: `row${index}${letter}` });
        yield { index: index++, recordId: record.id, taskId: record.task_id, outcome };
      }
    },
  };
}

function verdictOf(correct: boolean) {
  const judgement = correct ? 'correct' : 'incorrect';
  return { subject: 'answer', judge: 'exact_match', judgement, score: correct ? 1 : 0, evidence: {} };
}
