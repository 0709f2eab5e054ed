import type { JsonObject } from '../../base/json.ts';
import {
  type BalanceConfig,
  type BalanceDimension,
  type BalanceRule,
  balanceDimensions,
} from '../../schemas/config/balance.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import type { Trajectory, TrajectorySampling } from '../../schemas/trajectory.ts';
import { type RuleEffect, ruleEffect } from './ruleEffects.ts';

/** Decision about a record. */
export type BalanceDecision =
  | { readonly kind: 'keep'; readonly sampling: TrajectorySampling | undefined }
  | { readonly kind: 'drop'; readonly evidence: JsonObject };

type Cell = Readonly<Record<BalanceDimension, string>>;

interface Held {
  readonly cell: Cell;
  readonly quality: number;
  /** Hash of id and seed, from 0 to 1: orders records of equal quality. */
  readonly fraction: number;
  /** Evidence for the drop; undefined for a kept record. */
  dropped: JsonObject | undefined;
  repeats: number;
  weight: number;
}

interface Group {
  readonly values: Partial<Record<BalanceDimension, string>>;
  /** Records kept by earlier rules, best first. */
  readonly records: readonly Held[];
}

/**
 * Decides which records are kept, in two steps: `add` every record, then `decide` once. Decisions depend only on the
 * records and the seed, not on the order of adding.
 */
export class BalancePlan {
  readonly #config: BalanceConfig;
  readonly #seed: number;
  readonly #records: Held[] = [];
  readonly #cells = new Map<string, Cell>();

  constructor(config: BalanceConfig, seed: number) {
    this.#config = config;
    this.#seed = seed;
  }

  get size(): number {
    return this.#records.length;
  }

  add(features: BalanceFeatures): void {
    const names = groupNames(features);
    const key = keyOf(names, balanceDimensions);
    const cell = this.#cells.get(key) ?? names;
    this.#cells.set(key, cell);
    const fraction = hashedShare('balance', this.#seed, features.id);
    const { quality } = features;
    this.#records.push({ cell, quality, fraction, dropped: undefined, repeats: 1, weight: 1 });
  }

  /** Applies the rules. Throws `UserError` for an unsatisfiable quota. */
  decide(): void {
    for (const [at, rule] of this.#config.rules.entries()) this.#apply(rule, at + 1);
  }

  /** Decision about a record, by its index in the order of adding. */
  decisionOf(record: number): BalanceDecision {
    const { dropped, repeats, weight } = this.#records[record]!;
    if (dropped) return { kind: 'drop', evidence: dropped };
    const isPlain = repeats === 1 && weight === 1;
    return { kind: 'keep', sampling: isPlain ? undefined : { repeats, weight, reasons: ['temperature'] } };
  }

  /** Records per group before and after, by dimension. */
  counts(): BalanceTable {
    return balanceDimensions.map((dimension) => {
      const byGroup = Map.groupBy(this.#records, ({ cell }) => cell[dimension]);
      const groups = [...byGroup].sort(([a], [b]) => (a < b ? -1 : 1));
      return { dimension, groups: groups.map(([group, records]) => ({ group, ...countsOf(records) })) };
    });
  }

  #apply(rule: BalanceRule, number: number): void {
    const { groups, others } = this.#groups(rule);
    if (groups.length === 0) return;
    const sizes = groups.map((group) => group.records.length);
    const effect = ruleEffect(rule, { sizes, others }, `balance.rules.${number - 1}`);
    for (const [at, group] of groups.entries()) applyTo(group, effect, at, { rule: number, kind: rule.rule });
  }

  /** Kept records that a rule covers, in groups ordered by name, and the number it does not cover. */
  #groups({ by, where }: BalanceRule): { groups: Group[]; others: number } {
    const dimensions = balanceDimensions.filter((dimension) => by.includes(dimension));
    const kept = this.#records.filter(({ dropped }) => dropped === undefined);
    const bound = kept.filter(({ cell }) =>
      balanceDimensions.every((name) => where[name] === undefined || where[name] === cell[name]),
    );
    const byKey = Map.groupBy(bound, ({ cell }) => keyOf(cell, dimensions));
    const groups = [...byKey.keys()].sort().map((key): Group => {
      const records = byKey.get(key)!.sort((a, b) => b.quality - a.quality || a.fraction - b.fraction);
      const { cell } = records[0]!;
      return { values: Object.fromEntries(dimensions.map((name) => [name, cell[name]])), records };
    });
    return { groups, others: kept.length - bound.length };
  }
}

function keyOf(cell: Cell, dimensions: readonly BalanceDimension[]): string {
  return JSON.stringify(dimensions.map((dimension) => cell[dimension]));
}

function applyTo(group: Group, effect: RuleEffect, at: number, rule: JsonObject): void {
  if (effect.kind === 'weigh') {
    for (const record of group.records) record.weight *= effect.weights[at]!;
    return;
  }
  keepBest(group, effect.kind === 'keep' ? effect.most[at]! : effect.rows[at]!, rule);
  if (effect.kind === 'repeat') repeat(group, effect.rows[at]!);
}

function keepBest({ records, values }: Group, allowed: number, rule: JsonObject): void {
  for (const [at, record] of records.entries()) {
    if (at < allowed) continue;
    const { quality } = record;
    record.dropped = { ...rule, group: values, allowed, found: records.length, place: at + 1, quality };
  }
}

/** Distributes rows over a group's records; the best get the remainder. */
function repeat({ records }: Group, rows: number): void {
  const each = Math.floor(rows / records.length);
  if (each === 0) return;
  const more = rows - each * records.length;
  for (const [place, record] of records.entries()) record.repeats *= each + (place < more ? 1 : 0);
}

function countsOf(records: readonly Held[]) {
  const kept = records.filter(({ dropped }) => dropped === undefined);
  const weight = kept.reduce((sum, record) => sum + record.repeats * record.weight, 0);
  return {
    before: records.length,
    after: kept.length,
    rows: kept.reduce((sum, { repeats }) => sum + repeats, 0),
    // The last digits of sums depend on the order of adding; a table does not need them.
    weight: Math.round(weight * 1e6) / 1e6,
  };
}

export interface BalanceFeatures {
  /** Hash of the record's content, independent of its position. */
  readonly id: string;
  readonly profile: string;
  /** Undefined if unknown. */
  readonly source: string | undefined;
  /** Share of a model's samples that solved the task, 0 to 1; undefined without samples. */
  readonly passRate: number | undefined;
  /** Agent-tool interactions. */
  readonly steps: number;
  /** UTF-16 code units of the trajectory's text. */
  readonly length: number;
  /** Higher is better: a full group keeps the best. */
  readonly quality: number;
}

/** Group of records without a value for the dimension. */
const unknownGroup = 'unknown';

/** Group names of a record by dimension. */
function groupNames({
  profile,
  source,
  passRate,
  steps,
  length,
}: BalanceFeatures): Record<BalanceDimension, string> {
  return {
    profile,
    source: source ?? unknownGroup,
    difficulty: passRate === undefined ? unknownGroup : bucketOf(buckets.difficulty, passRate),
    steps: bucketOf(buckets.steps, steps),
    length: bucketOf(buckets.length, length),
  };
}

/** Minimum of each bucket, in descending order: pass rate, agent-tool interactions, UTF-16 code units of text. */
const buckets = {
  difficulty: { easy: 0.7, medium: 0.3, hard: 0 },
  steps: { long: 10, medium: 5, short: 0 },
  length: { long: 40_000, medium: 10_000, short: 0 },
};

function bucketOf(smallest: Readonly<Record<string, number>>, value: number): string {
  return Object.keys(smallest).find((name) => value >= smallest[name]!)!;
}

export function trajectoryFeatures({
  id,
  profile,
  source,
  segments,
  quality,
  measures,
}: Trajectory): BalanceFeatures {
  return {
    id,
    profile,
    source,
    passRate: measures?.pass_rate ?? undefined,
    steps: quality.interactions,
    length: segments.reduce((sum, segment) => sum + segment.text.length, 0),
    quality: qualityScore(quality),
  };
}
