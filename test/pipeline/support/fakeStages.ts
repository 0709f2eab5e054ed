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
import type { OpenedStage, RunStage } from '../../../pipeline/run/stageState.ts';

/** A record of the fake stages: it carries what becomes of it. */
export const fakeRecordSchema = z.object({ id: z.string(), task_id: z.string(), fate: z.string() });
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
  plan: readonly { readonly fate: (typeof fates)[number]; readonly turns: number }[],
  concurrency: number,
  settings: FakeSettings = { rollout: '', export: '' },
): FakePipeline {
  const asked: string[] = [];
  const want = (opened: OpenedStage, own: JsonObject, ...shaping: unknown[]): RunStage => {
    const { name, version } = opened.stage;
    return { stage: name, version, configHash: JSON.stringify(shaping), settings: own, opened };
  };
  const tasks = source(plan.map(({ fate }) => fate));
  const working = rollout(plan, concurrency, asked, settings.rollout);
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

function source(planned: readonly string[]): SourceStage<FakeRecord> {
  return {
    name: 'tasks',
    version: 1,
    output: fakeRecordSchema,
    async *run() {
      for (const [index, fate] of planned.entries()) {
        const id = `t${index}`;
        yield { index, recordId: id, taskId: id, outcome: emitRecord({ id, task_id: id, fate }) };
      }
    },
  };
}

function rollout(
  plan: readonly { readonly turns: number }[],
  concurrency: number,
  asked: string[],
  letter: string,
): RecordStage<FakeRecord, FakeRecord> {
  return {
    name: 'rollout',
    version: 1,
    input: fakeRecordSchema,
    output: fakeRecordSchema,
    concurrency,
    async run(record, { signal, attempt = 0 }) {
      asked.push(attempt === 0 ? record.id : `${record.id}#${attempt}`);
      const turns = plan[Number(record.id.slice(1))]?.turns ?? 0;
      for (let turn = 0; turn < turns; turn++) {
        await new Promise(setImmediate);
        // As real stages do: work that is cut off looks like any other failure.
        if (signal.aborted) throw new Error('connection was cut');
      }
      return outcomeOf(record, letter);
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
