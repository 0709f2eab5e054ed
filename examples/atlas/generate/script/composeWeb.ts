import type { ScriptStep } from '../../../../schemas/teacherScript.ts';
import type { Question } from '../questions/createQuestions.ts';
import type { Random } from '../world/random.ts';
import { type Lookup, lookupsOf, slotsOf } from './lookups.ts';
import { SearchSolution } from './searchSolution.ts';
import { webPhrases } from './webPhrases.ts';

/**
 * How a solution runs: `straight`; `replan`, whose first search leads nowhere; `doubt`, whose answer is confirmed only
 * after another look; `slip`, which first suggests the value before the last.
 */
export type WebStyle = 'straight' | 'replan' | 'doubt' | 'slip';

/** A result's link, of the first result. */
const firstLink = String.raw`^1\. \[[^\]\n]*\]\((\S+)\)`;

const good = {
  information_conflict: 'Good',
  tool_effectiveness: 'Good',
  trajectory_monitoring: 'Good',
} as const;

/** A web team's solution of a question. */
export function composeWeb(question: Question, style: WebStyle, random: Random): ScriptStep[] {
  return new WebSolution(question, random).compose(style, lookupsOf(question));
}

/** A solution that opens one page only, as if the rest were known. */
export function composeShortWeb(question: Question, lookup: Lookup, random: Random): ScriptStep[] {
  return new WebSolution(question, random).compose('straight', [lookup]);
}

class WebSolution extends SearchSolution<keyof typeof webPhrases> {
  constructor(question: Question, random: Random) {
    super(question, random, { tool: 'web_search', phrases: webPhrases });
  }

  compose(style: WebStyle, lookups: readonly Lookup[]): ScriptStep[] {
    const last = lookups.at(-1)!;
    return [
      ...this.opening(style, () => this.#lookBack()),
      ...lookups.flatMap((lookup, at) => this.#hop(lookups, lookup, at, style)),
      this.#suggest(last),
      ...(style === 'doubt' ? this.#doubt(last, lookups.length) : []),
      this.#check('checkHigh', last, this.random.int(3, 4)),
    ];
  }

  /** After a first search that led nowhere. */
  #lookBack(): ScriptStep {
    return {
      action: 'reflection',
      think: this.say('reflectPoor'),
      reflection: {
        ...good,
        tool_effectiveness: 'Poor',
        trajectory_monitoring: this.random.pick(['Average', 'Poor']),
      },
    };
  }

  /** Search, open the first result, and now and then look back. */
  #hop(lookups: readonly Lookup[], lookup: Lookup, at: number, style: WebStyle): ScriptStep[] {
    const previous = lookups[at - 1];
    const isLast = at === lookups.length - 1;
    const slipped = style === 'slip' && isLast && previous ? this.#slip(previous) : [];
    const looksBack = at === Math.floor((lookups.length - 1) / 2) || (isLast && this.random.int(0, 2) === 0);
    return [...slipped, ...this.#read(lookup, at, previous), ...(looksBack ? [this.#reflect(lookup)] : [])];
  }

  #read(lookup: Lookup, at: number, previous: Lookup | undefined): ScriptStep[] {
    const { sought, subject, extract } = lookup;
    const link = `page_${at + 1}`;
    return [
      this.search(lookup, previous, { [link]: firstLink }),
      {
        action: 'tool',
        tool: 'crawl_page',
        think: this.say('crawl', { subject, sought }),
        input: { urls: [`{{${link}}}`] },
        extract,
      },
    ];
  }

  #reflect({ told }: Lookup): ScriptStep {
    const criterion = this.random.pick([
      'information_conflict',
      'tool_effectiveness',
      'trajectory_monitoring',
    ] as const);
    const grade = this.random.pick(['Good', 'Good', 'Average'] as const);
    const reflection = { ...good, [criterion]: grade };
    return { action: 'reflection', think: this.say('reflectGood', { told }), reflection };
  }

  #slip(previous: Lookup): ScriptStep[] {
    const { value } = previous;
    return [
      { action: 'suggested_answer', think: this.say('suggestEarly', { value }), answer: value },
      this.#check('checkLowSlip', previous, this.random.int(1, 2)),
    ];
  }

  #doubt(last: Lookup, lookups: number): ScriptStep[] {
    const query = lookups % 2 === 0 ? `${last.bare} ${last.value}` : `${last.value} ${last.bare}`;
    return [
      this.#check('checkLowDoubt', last, 2),
      this.verify(query),
      { action: 'suggested_answer', think: this.say('afterDoubtThink', slotsOf(last)), answer: last.value },
    ];
  }

  #suggest(last: Lookup): ScriptStep {
    return { action: 'suggested_answer', think: this.say('suggest', slotsOf(last)), answer: last.value };
  }

  #check(bank: 'checkHigh' | 'checkLowSlip' | 'checkLowDoubt', about: Lookup, score: number): ScriptStep {
    return {
      action: 'double_check',
      think: this.say(bank, { ...this.plan.slots, ...slotsOf(about) }),
      score,
    };
  }
}
