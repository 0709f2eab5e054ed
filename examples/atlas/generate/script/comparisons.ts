import { type Question, withArticle } from '../questions/createQuestions.ts';

/** Words for a comparison of two entities by a fact. */
export interface Comparison {
  /** Follows "which of A and B". */
  readonly predicate: string;
  /** What the winner is called. */
  readonly winner: string;
}

const comparisons: Readonly<Record<string, Comparison>> = {
  length: { predicate: 'is longer', winner: 'the longer ship' },
  area: { predicate: 'is larger', winner: 'the larger island' },
  height: { predicate: 'is taller', winner: 'the taller lighthouse' },
  built: { predicate: 'was lit first', winner: 'the older lighthouse' },
  published: { predicate: 'appeared first', winner: 'the earlier book' },
};

/** The words for comparing by a fact. Throws for a fact that nothing is compared by. */
export function comparisonBy(fact: string): Comparison {
  const comparison = comparisons[fact];
  if (!comparison) throw new Error(`no words for a comparison by ${fact}`);
  return comparison;
}

/** The name of a side's value, `a` for the entity that the question names first. */
export function sideValue(fact: string, side: number): string {
  return `${fact}_${'ab'[side]}`;
}

/** The outcome of a question's comparison as a clause; undefined where nothing is compared. */
export function comparisonTold({ compared, hops }: Question): string | undefined {
  if (!compared) return undefined;
  const { fact, entities } = compared;
  const won = entities[0].slug === hops[0]!.entity.slug ? 0 : 1;
  const [best, other] = [sideValue(fact, won), sideValue(fact, 1 - won)];
  return `${withArticle(entities[won])} is ${comparisonBy(fact).winner}, with {{${best}}} against {{${other}}}`;
}
