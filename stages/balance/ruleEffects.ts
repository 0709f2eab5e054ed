import { UserError } from '../../base/userError.ts';
import type { BalanceRule } from '../../schemas/config/balance.ts';

/** Effect of a rule on groups: records kept, rows, or weight. */
export type RuleEffect =
  | { readonly kind: 'keep'; readonly most: Allotments }
  | { readonly kind: 'repeat'; readonly rows: Allotments }
  | { readonly kind: 'weigh'; readonly weights: readonly number[] };

interface GroupSizes {
  readonly sizes: readonly number[];
  /** Records excluded by the rule's `where`. */
  readonly others: number;
}

type TemperatureRule = Extract<BalanceRule, { rule: 'temperature' }>;

/**
 * Effect of a rule on non-empty groups of these sizes.
 * @param name of the rule in messages
 * @throws UserError for a quota that no number of records keeps
 */
export function ruleEffect(rule: BalanceRule, { sizes, others }: GroupSizes, name: string): RuleEffect {
  switch (rule.rule) {
    case 'cap':
      return { kind: 'keep', most: sizes.map((size) => Math.min(size, rule.most)) };
    case 'quota':
      refuseImpossibleQuota(rule.share, { sizes, others }, name);
      return { kind: 'keep', most: quotaAllotments(sizes, others, rule.share) };
    case 'temperature':
      return temperatureEffect(rule, sizes);
  }
}

function refuseImpossibleQuota(share: number, { sizes, others }: GroupSizes, name: string): void {
  if (others > 0 || sizes.length * share >= 1 - Number.EPSILON * sizes.length) return;
  throw new UserError(
    `${name}: ${sizes.length} ${sizes.length === 1 ? 'group' : 'groups'} of at most ${share} each never make a whole; expected a share of ${(1 / sizes.length).toPrecision(3)} or more, or fewer dimensions in where`,
  );
}

function temperatureEffect(rule: TemperatureRule, sizes: readonly number[]): RuleEffect {
  const { how, temperature, total, max_repeats: maxRepeats } = rule;
  const shares = temperatureShares(sizes, temperature);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (how === 'weight') {
    return { kind: 'weigh', weights: shares.map((share, at) => (share * all) / sizes[at]!) };
  }
  if (how === 'drop') {
    const most =
      total === null ? proportionalAllotments(sizes, shares) : filledAllotments(sizes, shares, total);
    return { kind: 'keep', most };
  }
  const room = sizes.map((size) => size * maxRepeats);
  return { kind: 'repeat', rows: filledAllotments(room, shares, total ?? all) };
}

/** Allotment per group, in the order of the sizes. */
type Allotments = readonly number[];

/**
 * Maximum records per group if none may exceed a share of all kept records. Keeping fewer of one group shrinks the
 * total, so sizes are reduced until every share holds; they are the largest such sizes.
 * @param sizes of the groups that the share binds
 * @param others records that it does not bind
 */
function quotaAllotments(sizes: readonly number[], others: number, share: number): Allotments {
  let allotments = [...sizes];
  for (;;) {
    const total = allotments.reduce((sum, size) => sum + size, others);
    // Slightly above the product: 0.1 * 30 must allow 3.
    const most = Math.floor(share * total * (1 + Number.EPSILON * 4));
    if (allotments.every((size) => size <= most)) return allotments;
    allotments = allotments.map((size) => Math.min(size, most));
  }
}

/** Temperature-scaled shares: n^(1/T), normalised to 1. */
function temperatureShares(sizes: readonly number[], temperature: number): readonly number[] {
  const powers = sizes.map((size) => size ** (1 / temperature));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** Largest sizes with exactly these shares (rounded down) that all groups can supply. */
function proportionalAllotments(sizes: readonly number[], shares: readonly number[]): Allotments {
  const total = Math.min(...sizes.map((size, at) => size / shares[at]!));
  return sizes.map((size, at) => Math.min(size, wholePart(shares[at]! * total)));
}

/**
 * Sizes with these shares that sum to a total, as far as possible: a shortage of small groups is distributed in
 * proportion to the other shares. Rounded down, so the sum may be short by fewer records than groups.
 */
function filledAllotments(sizes: readonly number[], shares: readonly number[], total: number): Allotments {
  const full = new Set<number>();
  for (;;) {
    const used = [...full].reduce((sum, at) => sum + sizes[at]!, 0);
    const open = sizes.map((_, at) => at).filter((at) => !full.has(at));
    const openShare = open.reduce((sum, at) => sum + shares[at]!, 0);
    const wanted = (at: number): number => (shares[at]! / openShare) * Math.max(0, total - used);
    const filled = open.filter((at) => wanted(at) >= sizes[at]!);
    if (filled.length === 0) {
      return sizes.map((size, at) => (full.has(at) ? size : Math.min(size, wholePart(wanted(at)))));
    }
    for (const at of filled) full.add(at);
  }
}

/** Integer part of a product that may be a rounding error below an integer. */
function wholePart(value: number): number {
  return Math.floor(value * (1 + Number.EPSILON * 8));
}
