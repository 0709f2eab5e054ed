import { z } from 'zod';
import { stageRecords } from '../../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../../pipeline/run/stageJournals.ts';
import { factRecordSchema } from '../../../synthesis/records/fact.ts';
import { type FaultKind, faultEnds, type PlantedFault } from './faultyPlayer.ts';

/** Planted faults of one kind in a synthesis, and those of them that were dropped for the right reason. */
export interface PlantedEnds {
  readonly fault: FaultKind;
  readonly planted: number;
  readonly found: number;
}

/** Planted faults of a synthesis against the drops of the facts and candidates that have them, by kind. */
export async function plantedEnds(
  runFolder: string,
  planted: readonly PlantedFault[],
): Promise<PlantedEnds[]> {
  // A server may tell of the same fault again.
  const faults = new Map(planted.map((fault) => [keyOf(fault), fault]));
  const drops = await readDrops(runFolder);
  const rows = (Object.entries(faultEnds) as [FaultKind, string][]).map(([kind, reason]) => {
    const ends = [...faults.values()]
      .filter(({ fault }) => fault === kind)
      .map((fault) => drops.filter(({ keys }) => keys.includes(keyOf(fault))))
      .map((own) => own.map((drop) => drop.reason))
      .filter((own) => own.length === 0 || own.some((end) => wasLookedFor(end, reason)));
    return { fault: kind, planted: ends.length, found: ends.filter((own) => own.includes(reason)).length };
  });
  return rows.filter((row) => row.planted > 0);
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

/** A fact or a candidate that was dropped: why, and the facts and the question that it was made of. */
interface Drop {
  readonly reason: string;
  readonly keys: readonly string[];
}

const statedSchema = z.object({ subject: z.string(), relation: z.string(), value: z.string() });
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
