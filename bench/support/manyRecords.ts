import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealedFile, sealedLine } from '../../base/journal/sealed.ts';
import type { StageName } from '../../contract/stageTable.ts';

const stages: readonly StageName[] = ['tasks', 'dedup', 'rollout', 'convert', 'judge', 'filter', 'export'];
const nouns = 'river tower castle bridge island mountain harbour valley temple library forest museum'.split(
  ' ',
);

/** Numbers that look random and are the same each time. */
function mixed(seed: number): number {
  return Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0;
}

function noun(of: number): string {
  return nouns[mixed(of) % nouns.length]!;
}

function trajectory(at: number): object {
  const text = `<web_search>${noun(at)} ${noun(at + 7)} town${at % 5_000}</web_search>`;
  const seen = `The ${noun(at + 1)} of town${at % 5_000} stands by the ${noun(at + 2)}. `.repeat(3);
  const segments = [
    { tag: 'web_search', origin: 'model', text, event: 'e1' },
    { tag: 'observation', origin: 'environment', text: `<observation>${seen}</observation>`, event: 'e2' },
    { tag: 'answer', origin: 'model', text: `<answer>answer ${at}</answer>`, event: 'e3' },
  ];
  const verdict = {
    subject: 'answer',
    judge: 'exact_match',
    judgement: at % 3 ? 'correct' : 'incorrect',
    score: 1,
  };
  const counts = { interactions: 1 + (at % 9), reflections: at % 2, plans: 1, redundant_tool_inputs: 0 };
  const quality = {
    ...counts,
    first_double_check: null,
    neutralised: 0,
    verdicts: [{ ...verdict, evidence: {} }],
  };
  return {
    id: `trajectory_${at}`,
    task_id: `task_${at}`,
    trace_id: `trace_${at}`,
    profile: ['web', 'mhqa', 'code', 'math'][at % 4],
    domain: 'qa',
    system: '',
    user: '',
    question: `Which ${noun(at)} is near the ${noun(at + 3)} of town${at % 5_000}, number ${at}?`,
    answers: [`answer ${at}`],
    segments,
    quality,
  };
}

/** The line that a stage writes of a record, to its records or its ledger; a third of the records are dropped. */
function lineOf(stage: StageName, at: number): readonly ['records' | 'ledger', object] | undefined {
  const of = { index: at, count: 1, input_id: `task_${at}`, task_id: `task_${at}` };
  const isWrong = at % 3 === 0;
  if (stage === 'convert') return ['records', { ...of, records: [trajectory(at)] }];
  if (stage === 'filter' && isWrong) {
    const end = { kind: 'drop', index: at, record_id: 'x', task_id: `task_${at}`, reason: 'wrong_answer' };
    return ['ledger', { ...end, evidence: {} }];
  }
  if (stage !== 'export' || isWrong) return undefined;
  const [tokens, trained_tokens] = [500 + (mixed(at) % 8_000), 100 + (mixed(at) % 900)];
  return [
    'records',
    {
      ...of,
      records: [{ id: `t${at}`, task_id: `task_${at}`, split: 'train', row: at, tokens, trained_tokens }],
    },
  ];
}

/** Writes a run of some records, as the stages of a run that is not over write them. */
export async function writeManyRecords(run: string, records: number): Promise<void> {
  mkdirSync(run, { recursive: true });
  const stage_hashes = Object.fromEntries(stages.map((stage) => [stage, stage]));
  const versions = { coa_distill_version: '0.0.0', node_version: '24.0.0' };
  const configuration = {
    config_file: 'coa.yaml',
    config: { dataset: {} },
    shaping: {},
    config_hash: 'hash',
  };
  const own = {
    format_version: 1,
    name: 'many',
    created_at: '2026-11-22T00:00:00.000Z',
    seed: 0,
    dataset_name: 'many',
  };
  writeFileSync(join(run, 'run.json'), sealedFile({ ...own, ...versions, ...configuration, stage_hashes }));
  for (const stage of stages) {
    mkdirSync(join(run, stage));
    const counts = { entered: 0, emitted_inputs: 0, emitted_records: 0, dropped: {}, failed: {} };
    const file = { stage, version: 1, config_hash: stage, settings: {}, complete: false, ...counts };
    writeFileSync(join(run, stage, 'stage.json'), sealedFile(file));
    const out = { records: journal(run, stage, 'records'), ledger: journal(run, stage, 'ledger') };
    for (let at = 0; at < records; at++) {
      const line = lineOf(stage, at);
      if (line && !out[line[0]].write(`${sealedLine(line[1])}\n`)) await once(out[line[0]], 'drain');
    }
    for (const stream of Object.values(out)) await once(stream.end(), 'close');
  }
}

function journal(run: string, stage: string, name: string) {
  return createWriteStream(join(run, stage, `${name}.jsonl`));
}
