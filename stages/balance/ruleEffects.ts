import { UserError } from '../../base/userError.ts';
import type { BalanceRule } from '../../schemas/config/balance.ts';

/** What a rule does to groups: how many records of each stay, or how many rows or how much weight they get. */
export type RuleEffect =
  | { readonly kind: 'keep'; readonly most: Allotments }
  | { readonly kind: 'repeat'; readonly rows: Allotments }
  | { readonly kind: 'weigh'; readonly weights: readonly number[] };

interface GroupSizes {
  readonly sizes: readonly number[];
  /** Records that the rule's `where` leaves out. */
  readonly others: number;
}

type TemperatureRule = Extract<BalanceRule, { rule: 'temperature' }>;

/**
 * What a rule makes of groups of these sizes, none of which is empty.
 *
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

/** What a rule allows each group, in the order of the sizes given. */
type Allotments = readonly number[];

/**
 * Most records of each group where none may be more than a share of all that are kept. Keeping fewer of one group
 * makes all of them fewer, so the sizes shrink until every share holds; they are the largest sizes for which it does.
 *
 * @param sizes of the groups that the share binds
 * @param others records that it does not bind
 */
function quotaAllotments(sizes: readonly number[], others: number, share: number): Allotments {
  let allotments = [...sizes];
  for (;;) {
    const total = allotments.reduce((sum, size) => sum + size, others);
    // A hair above the product, for 0.1 * 30 must allow 3.
    const most = Math.floor(share * total * (1 + Number.EPSILON * 4));
    if (allotments.every((size) => size <= most)) return allotments;
    allotments = allotments.map((size) => Math.min(size, most));
  }
}

/** The shares of groups drawn with a temperature: n^(1/T), made to sum to 1. */
function temperatureShares(sizes: readonly number[], temperature: number): readonly number[] {
  const powers = sizes.map((size) => size ** (1 / temperature));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** The largest sizes with exactly these shares (rounded down) that no group is too small for. */
function proportionalAllotments(sizes: readonly number[], shares: readonly number[]): Allotments {
  const total = Math.min(...sizes.map((size, at) => size / shares[at]!));
  return sizes.map((size, at) => Math.min(size, wholePart(shares[at]! * total)));
}

/**
 * Sizes with these shares that sum to a total, as far as the groups go: what small groups lack, the others give in
 * proportion to their shares. Rounded down, so the sum may be short by fewer records than there are groups.
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

/** The whole part of a product that may lie a rounding error below a whole number. */
function wholePart(value: number): number {
  return Math.floor(value * (1 + Number.EPSILON * 8));
}
