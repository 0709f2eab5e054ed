import { count } from '../../base/figures.ts';
import { sum } from '../../base/sum.ts';
import type { PlantedRow } from '../report.ts';

/** What became of all planted faults of a synthesis, as one sentence for people; `missed` says how many were not found. */
export function plantedVerdict(rows: readonly PlantedRow[]): {
  readonly missed: number;
  readonly text: string;
} {
  const missed = sum(rows.map((row) => row.planted - row.as_expected));
  // Kinds that end by one reason have the same other records.
  const others = sum([...new Map(rows.map((row) => [row.expected, row.false_finds])).values()]);
  const found =
    missed === 0
      ? 'every planted fault was found'
      : `${count(missed)} planted ${missed === 1 ? 'fault was' : 'faults were'} not found`;
  return {
    missed,
    text: `${found}; ${count(others)} other ${others === 1 ? 'record was' : 'records were'} dropped for the same reasons`,
  };
}
