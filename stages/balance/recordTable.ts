import { GrowingColumn } from '../../base/growingColumn.ts';
import {
  type BalanceConfig,
  type BalanceDimension,
  balanceDimensions,
} from '../../schemas/config/balance.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import { type BalanceFeatures, groupNames } from './balanceFeatures.ts';

/** The group of a record in every dimension. */
type Cell = Readonly<Record<BalanceDimension, string>>;

/** The small numbers that are held of each record: 20 bytes, whatever its size. */
export class RecordTable {
  readonly #config: BalanceConfig;
  readonly #seed: number;
  /** Every combination of groups that occurs; records with the same one share it. */
  readonly cells: Cell[] = [];
  readonly #placeOfCell = new Map<string, number>();
  readonly #cellOfRecord = new GrowingColumn(Uint32Array);
  readonly #quality = new GrowingColumn(Float64Array);
  readonly #fraction = new GrowingColumn(Float64Array);

  constructor(config: BalanceConfig, seed: number) {
    this.#config = config;
    this.#seed = seed;
  }

  get size(): number {
    return this.#cellOfRecord.length;
  }

  add(features: BalanceFeatures): void {
    this.#cellOfRecord.push(this.#placeOf(groupNames(features, this.#config)));
    this.#quality.push(features.quality);
    this.#fraction.push(hashedShare('balance', this.#seed, features.id));
  }

  /** Place in {@link cells}. */
  cellOf(record: number): number {
    return this.#cellOfRecord.at(record);
  }

  qualityOf(record: number): number {
    return this.#quality.at(record);
  }

  /**
   * Sorts records: the best first, by the hash of id and seed among equals. Records that are equal in both have the
   * same id, so that it does not matter which of them stays.
   */
  readonly compare = (a: number, b: number): number =>
    this.#quality.at(b) - this.#quality.at(a) || this.#fraction.at(a) - this.#fraction.at(b) || a - b;

  #placeOf(cell: Cell): number {
    const key = JSON.stringify(balanceDimensions.map((dimension) => cell[dimension]));
    const known = this.#placeOfCell.get(key);
    if (known !== undefined) return known;
    this.#placeOfCell.set(key, this.cells.length);
    return this.cells.push(cell) - 1;
  }
}

/** What was decided of a record, as far as it is counted. */
interface CountedDecision {
  readonly kept: boolean;
  readonly repeats: number;
  readonly weight: number;
}

interface Counts {
  before: number;
  after: number;
  rows: number;
  weight: number;
}

/** Counts the records of every group of every dimension. */
export function balanceTable(
  table: RecordTable,
  decisionOf: (record: number) => CountedDecision,
): BalanceTable {
  const ofCell = table.cells.map((): Counts => ({ before: 0, after: 0, rows: 0, weight: 0 }));
  for (let record = 0; record < table.size; record++) {
    const counts = ofCell[table.cellOf(record)]!;
    const { kept, repeats, weight } = decisionOf(record);
    counts.before += 1;
    if (!kept) continue;
    counts.after += 1;
    counts.rows += repeats;
    counts.weight += repeats * weight;
  }
  return balanceDimensions.map((dimension) => {
    const ofGroup = new Map<string, Counts>();
    for (const [at, cell] of table.cells.entries()) addTo(ofGroup, cell[dimension], ofCell[at]!);
    const groups = [...ofGroup].sort(([a], [b]) => (a < b ? -1 : 1));
    return { dimension, groups: groups.map(([group, counts]) => ({ group, ...rounded(counts) })) };
  });
}

function addTo(ofGroup: Map<string, Counts>, group: string, counts: Counts): void {
  const sum = ofGroup.get(group) ?? { before: 0, after: 0, rows: 0, weight: 0 };
  sum.before += counts.before;
  sum.after += counts.after;
  sum.rows += counts.rows;
  sum.weight += counts.weight;
  ofGroup.set(group, sum);
}

/** Sums of weights depend on the order of adding in their last digits; a table does not need those. */
function rounded(counts: Counts): Counts {
  return { ...counts, weight: Math.round(counts.weight * 1e6) / 1e6 };
}
