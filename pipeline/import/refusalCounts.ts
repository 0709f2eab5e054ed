import type { StageName } from '../../contract/stageTable.ts';
import { readLedger } from '../run/readLedger.ts';

/** Refused rows of one kind, and an example of it. */
export interface RefusalCount {
  readonly reason: string;
  /** Finer than the reason. */
  readonly code: string;
  readonly rows: number;
  /** The first such row: where it stands, the path in it, and what is wrong. */
  readonly example: string;
}

/** The rows that an import refused, by kind, most frequent first. */
export async function refusalCounts(runFolder: string, stage: StageName): Promise<RefusalCount[]> {
  const counts = new Map<string, RefusalCount>();
  for await (const entry of readLedger(runFolder, stage)) {
    if (entry.kind !== 'drop') continue;
    const { reason, evidence } = entry;
    const code = typeof evidence.code === 'string' ? evidence.code : reason;
    const key = `${reason} ${code}`;
    const before = counts.get(key);
    const { path, message, file, row } = evidence;
    const example = `${file}:${row}${path ? `: ${path}` : ''}${message ? `: ${message}` : ''}`;
    counts.set(key, before ? { ...before, rows: before.rows + 1 } : { reason, code, rows: 1, example });
  }
  return [...counts.values()].sort((a, b) => b.rows - a.rows || (a.code < b.code ? -1 : 1));
}
