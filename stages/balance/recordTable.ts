import { GrowingColumn } from '../../base/growingColumn.ts';
import {
  type BalanceConfig,
  type BalanceDimension,
  balanceDimensions,
} from '../../schemas/config/balance.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import { type BalanceFeatures, groupNames } from './balanceFeatures.ts';

/** The group of a record in every dimension. */
export type Cell = Readonly<Record<BalanceDimension, string>>;

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
