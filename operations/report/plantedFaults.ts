import { z } from 'zod';
import { readLines } from '../../base/journal/readLines.ts';
import { safeParseJson } from '../../base/json.ts';
import { plantedPath } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { synthesizeConfigSchema } from '../../schemas/config/synthesize.ts';
import type { PlantedRow } from '../../schemas/report.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { candidateSchema } from '../../schemas/synthesis/candidate.ts';
import { factRecordSchema } from '../../schemas/synthesis/factRecord.ts';
import {
  type FaultKind,
  faultEnds,
  type PlantedFault,
  plantedFaultSchema,
} from '../../schemas/synthesis/plantedFault.ts';

/** What became of the faults that the embedded model of a synthesis planted, by kind; null where it planted none. */
export async function plantedFaults(
  runFolder: string,
  { config }: Pick<RunFile, 'config'>,
): Promise<readonly PlantedRow[] | null> {
  const { profile } = synthesizeConfigSchema.parse(config.synthesize);
  const faults = await readFaults(runFolder);
  if (faults.size === 0) return null;
  const ends = await readEnds(runFolder);
  const kinds = Object.entries(faultEnds) as [FaultKind, string][];
  const rows = kinds.map(([flaw, reason]) => {
    const planted = [...faults.values()].filter(
      (one) => one.fault === flaw && wasLookedFor(ends.get(keyOf(one)), reason),
    );
    const ended = planted.filter((fault) => ends.get(keyOf(fault)) === reason);
    const expected = `dropped: ${reason}`;
    return { flaw, profile, expected, planted: planted.length, as_expected: ended.length, false_finds: 0 };
  });
  return rows.filter(({ planted }) => planted > 0);
}

/** Reasons in the order in which they are looked for. */
const order: readonly string[] = [
  ...['unsupported', 'duplicate_question', 'cycle', 'pseudo_step', 'contradicted', 'too_few_hops'],
  ...[
    'not_standalone',
    'answer_in_question',
    'link_in_question',
    'answer_drift',
    'closed_book',
    'unanswerable',
  ],
];

/** False for a fault whose candidate was dropped before the fault was looked for, for another one or as too short. */
function wasLookedFor(end: string | undefined, reason: string): boolean {
  const at = end === undefined ? -1 : order.indexOf(end);
  return at < 0 || at >= order.indexOf(reason);
}

/** What names a fact or a question, whoever speaks of it. */
function keyOf({ fact, question }: Pick<PlantedFault, 'fact' | 'question'>): string {
  return fact ? JSON.stringify([fact.subject, fact.relation, fact.value, fact.quote]) : (question ?? '');
}

/** Each fault once: a server that was started again may have told it again. */
async function readFaults(runFolder: string): Promise<Map<string, PlantedFault>> {
  const faults = new Map<string, PlantedFault>();
  for await (const { bytes, whole } of readLines(plantedPath(runFolder))) {
    const json = safeParseJson(bytes.toString('utf8'));
    const fault = whole && json.ok ? plantedFaultSchema.safeParse(json.value).data : undefined;
    if (fault) faults.set(keyOf(fault), fault);
  }
  return faults;
}

const questionSchema = z.looseObject({ question: z.string() });

/** The reason that each fact or question was dropped for, or `kept`. */
async function readEnds(runFolder: string): Promise<Map<string, string>> {
  const ends = new Map<string, string>();
  const facts = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'facts', factRecordSchema))
    facts.set(record.id, keyOf(record));
  const ofCandidate = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'seeds', candidateSchema)) {
    const [first] = record.chain;
    ofCandidate.set(record.id, keyOf({ fact: first! }));
  }
  const questions = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'grow', candidateSchema))
    if (record.question !== undefined) questions.set(record.task_id, record.question);
  for await (const entry of readLedger(runFolder, 'seeds'))
    if (entry.kind === 'drop') ends.set(facts.get(entry.record_id) ?? '', entry.reason);
  for (const stage of ['grow', 'check', 'choose'] as const)
    for await (const entry of readLedger(runFolder, stage)) {
      if (entry.kind !== 'drop') continue;
      const said = questionSchema.safeParse(entry.evidence).data?.question;
      for (const key of [ofCandidate.get(entry.task_id), said ?? questions.get(entry.task_id)])
        if (key !== undefined) ends.set(key, entry.reason);
    }
  return ends;
}
