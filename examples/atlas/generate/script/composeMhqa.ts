import type { ScriptStep } from '../../../../schemas/teacherScript.ts';
import type { Question } from '../questions/createQuestions.ts';
import type { Random } from '../world/random.ts';
import { type Lookup, lookupsOf, slotsOf } from './lookups.ts';
import { mhqaPhrases } from './mhqaPhrases.ts';
import { SearchSolution } from './searchSolution.ts';

/** How a solution runs: `straight`, or `replan`, whose first search leads nowhere. */
export type MhqaStyle = 'straight' | 'replan';

/** Fewer searches than this are made up for by a closer look at the last link. */
const leastSearches = 3;

/** An encyclopedia team's solution of a question. */
export function composeMhqa(question: Question, style: MhqaStyle, random: Random): ScriptStep[] {
  return new MhqaSolution(question, random).compose(style, lookupsOf(question));
}

/** A solution that searches once, as if the rest were known. */
export function composeShortMhqa(question: Question, lookup: Lookup, random: Random): ScriptStep[] {
  return new MhqaSolution(question, random).compose('short', [lookup]);
}

class MhqaSolution extends SearchSolution<keyof typeof mhqaPhrases> {
  constructor(question: Question, random: Random) {
    super(question, random, { tool: 'wiki_search', phrases: mhqaPhrases });
  }

  compose(style: MhqaStyle | 'short', lookups: readonly Lookup[]): ScriptStep[] {
    const last = lookups.at(-1)!;
    const verifies = style !== 'short' && lookups.length < leastSearches;
    const middle = Math.floor((lookups.length - 1) / 2);
    return [
      ...this.opening(style, () => this.#lookBack()),
      ...lookups.flatMap((lookup, at) => [
        this.search(lookup, lookups[at - 1], lookup.extract),
        ...(at === middle && lookup !== last ? [this.#reflect('reflectGood', lookup)] : []),
      ]),
      ...(verifies ? [this.verify(`${last.bare} ${last.value}`)] : []),
      ...(this.random.int(0, 1) === 0 || lookups.length === 1 ? [this.#reflect('reflectEnd', last)] : []),
      this.#answer(last),
    ];
  }

  /** After a first search that led nowhere. */
  #lookBack(): ScriptStep {
    return {
      action: 'reflection',
      think: this.say('reflectThink', { subject: 'the thing I need' }),
      reflection: this.say('reflectPoor'),
    };
  }

  #reflect(bank: 'reflectGood' | 'reflectEnd', lookup: Lookup): ScriptStep {
    const slots = { ...this.plan.slots, ...slotsOf(lookup) };
    return {
      action: 'reflection',
      think: this.say('reflectThink', slots),
      reflection: this.say(bank, slots),
    };
  }

  #answer(last: Lookup): ScriptStep {
    const slots = { ...this.plan.slots, ...slotsOf(last) };
    return { action: 'answer', think: this.say('answerThink', slots), answer: last.value };
  }
}
