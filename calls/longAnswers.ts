import type { ModelCall } from '../contract/calls.ts';

/** An answer that was cut is unusual where it is so many times as long as the mean of those that were not. */
const UNUSUAL_TIMES = 10;
/** Fewer answers don't say what is usual. */
const MIN_ANSWERS = 5;

/** Answers of a model that ended by themselves. */
interface Ended {
  answers: number;
  tokens: number;
  longest: number;
}

/** Finds answers that went round in circles until a limit, which a lower limit would end sooner. */
export class LongAnswers {
  readonly #ended = new Map<string, Ended>();
  readonly #told = new Set<string>();

  /** What the user should know of a call; undefined for most, and once told of a model. */
  note({ model, outcome, usage }: Pick<ModelCall, 'model' | 'outcome' | 'usage'>): string | undefined {
    const tokens = usage?.completion_tokens ?? 0;
    const of = this.#ended.get(model) ?? { answers: 0, tokens: 0, longest: 0 };
    if (outcome === 'ok') {
      this.#ended.set(model, {
        answers: of.answers + 1,
        tokens: of.tokens + tokens,
        longest: Math.max(of.longest, tokens),
      });
      return undefined;
    }
    const mean = of.tokens / of.answers;
    const isUnusual = of.answers >= MIN_ANSWERS && tokens > UNUSUAL_TIMES * mean;
    if (outcome !== 'answer_truncated' || !isUnusual || this.#told.has(model)) return undefined;
    this.#told.add(model);
    return `${model}: an answer went on for ${tokens} tokens until it was cut, where the others have ${Math.round(mean)} on average and ${of.longest} at most: a sampling.max_tokens of about ${2 * of.longest} ends such loops sooner`;
  }
}
