import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealedFile, sealedLine } from '../../../base/journal/sealed.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { StageName } from '../../../contract/stageTable.ts';
import type { Task } from '../../../schemas/task.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const stages: readonly StageName[] = ['tasks', 'dedup', 'rollout', 'convert', 'judge', 'filter', 'export'];

/** A run folder whose journals a test writes line by line. */
export interface WrittenRun {
  readonly folder: string;
  /** Adds a line to a stage's records; what went in is the task by default. */
  emit(stage: StageName, taskId: string, records: readonly object[], inputId?: string): void;
  /** Adds a line to a stage's ledger. */
  end(stage: StageName, line: { readonly kind: 'drop' | 'fail' | 'retry' } & JsonObject): void;
  /** Begins a stage, or replaces what it is made of. */
  begin(stage: StageName, configHash?: string): void;
}

/** A run without records in a folder of its own; `more` is what else its `run.json` says. */
export function newRun(name = 'run', more: JsonObject = {}): WrittenRun {
  return writtenRun(join(temporaryFolder(), name), more);
}

/** Makes a run folder with all stages begun and nothing in them; `more` is what else its `run.json` says. */
export function writtenRun(folder: string, more: JsonObject = {}): WrittenRun {
  mkdirSync(folder, { recursive: true });
  const stageHashes = Object.fromEntries(stages.map((stage) => [stage, `hash of ${stage}`]));
  const run = {
    format_version: 1,
    name: 'written',
    created_at: '2026-11-22T00:00:00.000Z',
    coa_distill_version: '0.0.0',
    node_version: '24.0.0',
    seed: 0,
    config_file: 'coa.yaml',
    dataset_name: 'written',
    config: { dataset: {} },
    shaping: {},
    config_hash: 'hash',
    stage_hashes: stageHashes,
    ...more,
  };
  writeFileSync(join(folder, 'run.json'), sealedFile(run));
  const begin = (stage: StageName, configHash = stageHashes[stage]!): void => {
    mkdirSync(join(folder, stage), { recursive: true });
    const counts = { entered: 0, emitted_inputs: 0, emitted_records: 0, dropped: {}, failed: {} };
    const file = { stage, version: 1, config_hash: configHash, settings: {}, complete: false, ...counts };
    writeFileSync(join(folder, stage, 'stage.json'), sealedFile(file));
  };
  for (const stage of stages) begin(stage);
  let index = 0;
  const add = (stage: StageName, name: string, line: object): void =>
    appendFileSync(join(folder, stage, name), `${sealedLine(line)}\n`);
  return {
    folder,
    begin,
    emit: (stage, taskId, records, inputId = taskId) =>
      add(stage, 'records.jsonl', {
        index: index++,
        count: records.length,
        input_id: inputId,
        task_id: taskId,
        records,
      }),
    // The kind comes first, by which a line is known without being parsed.
    end: (stage, { kind, ...line }) =>
      add(stage, 'ledger.jsonl', { kind, index: index++, record_id: 'x', ...line }),
  };
}

/** A task with its own question. */
export function taskOf(id: string, question: string): Task {
  return {
    id,
    question,
    answers: ['Mount Merle'],
    domain: 'qa',
    profile: 'web',
    source: { file: 'web.jsonl', row: 1 },
  };
}

/** What a stage after the conversion hands on of a task. */
export function trajectoryOf(taskId: string, text: string, judgement?: 'correct' | 'incorrect', rollout = 0) {
  const verdicts = judgement
    ? [
        {
          subject: 'answer',
          judge: 'exact_match',
          judgement,
          score: judgement === 'correct' ? 1 : 0,
          evidence: {},
        },
      ]
    : [];
  return {
    id: `trajectory_of_${taskId}_${rollout}`,
    task_id: taskId,
    trace_id: 'trace_1',
    ...(rollout > 0 && { rollout }),
    profile: 'web',
    domain: 'qa',
    system: 'system',
    user: 'user',
    question: `question of ${taskId}`,
    answers: ['Mount Merle'],
    segments: [
      { tag: 'web_search', origin: 'model', text: `<web_search>${text}</web_search>`, event: 'e1' },
      {
        tag: 'observation',
        origin: 'environment',
        text: '<observation>seen far away</observation>',
        event: 'e2',
      },
    ],
    quality: {
      interactions: 1,
      reflections: 0,
      plans: 0,
      redundant_tool_inputs: 0,
      first_double_check: null,
      neutralised: 0,
      verdicts,
    },
  };
}
