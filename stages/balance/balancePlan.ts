import type { JsonObject } from '../../base/json.ts';
import {
  type BalanceConfig,
  type BalanceDimension,
  type BalanceRule,
  balanceDimensions,
} from '../../schemas/config/balance.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import type { TrajectorySampling } from '../../schemas/trajectory.ts';
import type { BalanceFeatures } from './balanceFeatures.ts';
import { balanceTable, RecordTable } from './recordTable.ts';
import { type RuleEffect, ruleEffect } from './ruleEffects.ts';

/** What becomes of a record. */
export type BalanceDecision =
  | { readonly kind: 'keep'; readonly sampling: TrajectorySampling | undefined }
  | { readonly kind: 'drop'; readonly evidence: JsonObject };

/** A group as a rule saw it. */
interface Group {
  readonly values: Partial<Record<BalanceDimension, string>>;
  /** Records that earlier rules kept, best first. */
  readonly records: Uint32Array;
}

/** A group's record that a rule dropped. */
interface FullGroup {
  readonly rule: number;
  readonly values: Group['values'];
  readonly allowed: number;
  readonly found: number;
}

/**
 * Decides which records are kept. Two steps: `add` every record, `decide` once; then ask for each. Holds some 40 bytes
 * a record. Decisions depend on the records and the seed alone, not on the order in which they were added.
 */
export class BalancePlan {
  readonly #config: BalanceConfig;
  readonly #table: RecordTable;
  readonly #fullGroups: FullGroup[] = [];
  /** 0 for a kept record, otherwise the place in `#fullGroups`, from 1. */
  #full = new Uint32Array(0);
  /** Place in its group, best first, from 1; of dropped records alone. */
  #rank = new Uint32Array(0);
  #repeats = new Uint32Array(0);
  #weight = new Float64Array(0);

  constructor(config: BalanceConfig, seed: number) {
    this.#config = config;
    this.#table = new RecordTable(config, seed);
  }

  get size(): number {
    return this.#table.size;
  }

  add(features: BalanceFeatures): void {
    this.#table.add(features);
  }

  /** Applies the rules. Throws `UserError` for a quota that can't be kept. */
  decide(): void {
    const { size } = this.#table;
    this.#full = new Uint32Array(size);
    this.#rank = new Uint32Array(size);
    this.#repeats = new Uint32Array(size).fill(1);
    this.#weight = new Float64Array(size).fill(1);
    for (const [at, rule] of this.#config.rules.entries()) this.#apply(rule, at + 1);
  }

  /** What becomes of a record, by the order in which they were added, from 0. */
  decisionOf(record: number): BalanceDecision {
    const full = this.#fullGroups[this.#full[record]! - 1];
    if (full === undefined) return { kind: 'keep', sampling: this.#samplingOf(record) };
    const { rule, values, allowed, found } = full;
    const evidence = {
      rule,
      kind: this.#config.rules[rule - 1]!.rule,
      group: values,
      allowed,
      found,
      place: this.#rank[record]!,
      quality: this.#table.qualityOf(record),
    };
    return { kind: 'drop', evidence };
  }

  /** Records of each group before and after. */
  counts(): BalanceTable {
    return balanceTable(this.#table, (record) => {
      const kept = this.#full[record] === 0;
      return { kept, repeats: this.#repeats[record]!, weight: this.#weight[record]! };
    });
  }

  #samplingOf(record: number): TrajectorySampling | undefined {
    const repeats = this.#repeats[record]!;
    const weight = this.#weight[record]!;
    return repeats === 1 && weight === 1 ? undefined : { repeats, weight, reasons: ['temperature'] };
  }

  #apply(rule: BalanceRule, number: number): void {
    const { groups, others } = this.#groups(rule);
    if (groups.length === 0) return;
    const sizes = groups.map((group) => group.records.length);
    const effect = ruleEffect(rule, { sizes, others }, `balance.rules.${number - 1}`);
    for (const [at, group] of groups.entries()) this.#applyTo(group, effect, at, number);
  }

  #applyTo(group: Group, effect: RuleEffect, at: number, rule: number): void {
    if (effect.kind === 'weigh') {
      for (const record of group.records) this.#weight[record]! *= effect.weights[at]!;
      return;
    }
    if (effect.kind === 'keep') {
      this.#keepBest(group, effect.most[at]!, rule);
      return;
    }
    this.#keepBest(group, effect.rows[at]!, rule);
    this.#repeat(group, effect.rows[at]!);
  }

  #keepBest({ records, values }: Group, most: number, rule: number): void {
    if (records.length <= most) return;
    this.#fullGroups.push({ rule, values, allowed: most, found: records.length });
    for (let place = most; place < records.length; place++) {
      this.#full[records[place]!] = this.#fullGroups.length;
      this.#rank[records[place]!] = place + 1;
    }
  }

  /** Shares rows out among a group's records: the best get the one that is left over. */
  #repeat({ records }: Group, rows: number): void {
    const each = Math.floor(rows / records.length);
    if (each === 0) return;
    const more = rows - each * records.length;
    for (const [place, record] of records.entries()) {
      this.#repeats[record]! *= each + (place < more ? 1 : 0);
    }
  }

  /** The kept records of the cells that a rule speaks of, in groups that are ordered by name. */
  #groups({ by, where }: BalanceRule): { groups: Group[]; others: number } {
    const { cells } = this.#table;
    const dimensions = balanceDimensions.filter((dimension) => by.includes(dimension));
    const keyOfCell = cells.map((cell) => {
      const bound = balanceDimensions.every(
        (name) => where[name] === undefined || where[name] === cell[name],
      );
      return bound ? JSON.stringify(dimensions.map((dimension) => cell[dimension])) : undefined;
    });
    const keys = [...new Set(keyOfCell)].filter((key) => key !== undefined).sort();
    const placeOfKey = new Map(keys.map((key, at) => [key, at]));
    const groupOfCell = keyOfCell.map((key) => (key === undefined ? -1 : placeOfKey.get(key)!));
    const { lists, others } = this.#keptRecords(groupOfCell, keys.length);
    const groups = keys.map((key, at): Group => {
      const names = JSON.parse(key) as string[];
      const values = Object.fromEntries(dimensions.map((dimension, nth) => [dimension, names[nth]]));
      return { values, records: lists[at]!.sort(this.#table.compare) };
    });
    return { groups: groups.filter(({ records }) => records.length > 0), others };
  }

  /** The kept records of each group, and how many are in none. */
  #keptRecords(groupOfCell: readonly number[], count: number): { lists: Uint32Array[]; others: number } {
    const groupOf = (record: number): number => groupOfCell[this.#table.cellOf(record)]!;
    const sizes = new Uint32Array(count);
    let others = 0;
    for (let record = 0; record < this.size; record++) {
      if (this.#full[record] !== 0) continue;
      if (groupOf(record) < 0) others += 1;
      else sizes[groupOf(record)]! += 1;
    }
    const lists = Array.from(sizes, (size) => new Uint32Array(size));
    const filled = new Uint32Array(count);
    for (let record = 0; record < this.size; record++) {
      const group = groupOf(record);
      if (this.#full[record] === 0 && group >= 0) lists[group]![filled[group]!++] = record;
    }
    return { lists, others };
  }
}
