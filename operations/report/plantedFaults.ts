import { z } from 'zod';
import { readLines } from '../../base/journal/readLines.ts';
import { jsonValueOf } from '../../base/json.ts';
import { plantedPath } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { synthesizeConfigSchema } from '../../schemas/config/synthesize.ts';
import type { PlantedRow } from '../../schemas/report.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { factRecordSchema } from '../../schemas/synthesis/factRecord.ts';
import {
  type FaultKind,
  faultEnds,
  type PlantedFault,
  plantedFaultSchema,
} from '../../schemas/synthesis/plantedFault.ts';

/**
 * What became of the faults that the embedded model of a synthesis planted, by kind; null where it planted none. `false_finds`
 * are other records that were dropped for the same reason, which may be right: pages and questions have faults of their own.
 */
export async function plantedFaults(
  runFolder: string,
  { config }: Pick<RunFile, 'config'>,
): Promise<readonly PlantedRow[] | null> {
  const { profile } = synthesizeConfigSchema.parse(config.synthesize);
  const faults = await readFaults(runFolder);
  if (faults.size === 0) return null;
  const drops = await readDrops(runFolder);
  const rows = (Object.entries(faultEnds) as [FaultKind, string][]).map(([flaw, reason]) => {
    const ends = [...faults.values()]
      .filter(({ fault }) => fault === flaw)
      .map((fault) => drops.filter(({ keys }) => keys.includes(keyOf(fault))))
      .map((own) => own.map((drop) => drop.reason))
      .filter((own) => own.length === 0 || own.some((end) => wasLookedFor(end, reason)));
    const isPlanted = (key: string) =>
      faultEnds[faults.get(key)?.fault ?? flaw] === reason && faults.has(key);
    const others = drops.filter((drop) => drop.reason === reason && !drop.keys.some(isPlanted));
    return {
      ...{ flaw, profile, expected: `dropped: ${reason}`, planted: ends.length },
      as_expected: ends.filter((own) => own.includes(reason)).length,
      false_finds: others.length,
    };
  });
  return rows.filter(({ planted }) => planted > 0);
}

/** Reasons in the order in which they are looked for. */
const order: readonly string[] = [
  ...[
    'unsupported',
    'not_asked',
    'duplicate_question',
    'cycle',
    'pseudo_step',
    'contradicted',
    'too_few_hops',
  ],
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
function wasLookedFor(end: string, reason: string): boolean {
  const at = order.indexOf(end);
  return at < 0 || at >= order.indexOf(reason);
}

/** What names a fact or a question, whoever speaks of it. */
function keyOf({ fact, question }: Pick<PlantedFault, 'fact' | 'question'>): string {
  return fact ? JSON.stringify([fact.subject, fact.relation, fact.value]) : (question ?? '');
}

/** Each fault once: a server that was started again may have told it again. */
async function readFaults(runFolder: string): Promise<Map<string, PlantedFault>> {
  const faults = new Map<string, PlantedFault>();
  for await (const { bytes, whole } of readLines(plantedPath(runFolder))) {
    const fault = plantedFaultSchema.safeParse(jsonValueOf(bytes.toString('utf8'))).data;
    if (whole && fault) faults.set(keyOf(fault), fault);
  }
  return faults;
}

/** A fact or a candidate that was dropped: why, and the facts and the question that it was made of. */
interface Drop {
  readonly reason: string;
  readonly keys: readonly string[];
}

const statedSchema = plantedFaultSchema.shape.fact.unwrap().strip();
const evidenceSchema = z.object({
  question: z.string().optional(),
  chain: z.array(statedSchema).default([]),
});

async function readDrops(runFolder: string): Promise<Drop[]> {
  const facts = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'facts', factRecordSchema))
    facts.set(record.id, keyOf(record));
  const drops: Drop[] = [];
  for (const stage of ['seeds', 'grow', 'check'] as const)
    for await (const entry of readLedger(runFolder, stage)) {
      if (entry.kind !== 'drop') continue;
      const { question, chain = [] } = evidenceSchema.safeParse(entry.evidence).data ?? {};
      const keys = [facts.get(entry.record_id), question, ...chain.map((fact) => keyOf({ fact }))];
      drops.push({ reason: entry.reason, keys: keys.filter((key) => key !== undefined) });
    }
  return drops;
}
