import { type Question, withArticle } from '../questions/createQuestions.ts';
import { relationOf } from '../questions/relations.ts';
import { comparisonBy } from './comparisons.ts';

/** What a value is called once it is no longer named. */
const nouns: Readonly<Record<string, string>> = {
  builder: 'yard',
  birthplace: 'town',
  seat: 'town',
  subject: 'island',
};

/** What a question leads through, as noun phrases. */
export interface Steps {
  /** What has to be found out, in order. */
  readonly steps: readonly string[];
  /** Words for phrases: the first step, what the question asks for, and how many steps there are. */
  readonly slots: Readonly<Record<'first' | 'goal' | 'n', string>>;
}

/** The steps to the answer of a question. */
export function planSteps({ hops, compared }: Question): Steps {
  const comparison = compared && comparisonBy(compared.fact);
  const phrase = (at: number, article: string) => {
    const { entity, fact } = hops[at]!;
    const previous = hops[at - 1]?.fact;
    const subject =
      previous === undefined
        ? (comparison?.winner ?? withArticle(entity))
        : `${article} ${nouns[previous] ?? previous}`;
    return relationOf(entity.kind, fact).sought.replace('{s}', subject);
  };
  const [a, b] = compared?.entities.map(withArticle) ?? [];
  const steps = [
    ...(comparison ? [`which of ${a} and ${b} ${comparison.predicate}`] : []),
    ...hops.map((_, at) => phrase(at, 'that')),
  ];
  const goal = phrase(hops.length - 1, 'the');
  return { steps, slots: { first: steps[0]!, goal, n: String(steps.length) } };
}
