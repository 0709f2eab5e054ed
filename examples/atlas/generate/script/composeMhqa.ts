import type { ScriptStep } from '../../../../schemas/teacherScript.ts';
import type { Question } from '../questions/createQuestions.ts';
import type { Random } from '../world/random.ts';
import { type Lookup, lookupsOf, slotsOf } from './lookups.ts';
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

/** What only the encyclopedia team says. */
const mhqaPhrases = {
  reflectThink: [
    'Let me weigh what the passages say before I go on.',
    'Time to compare the evidence with the plan.',
    'I check whether this passage really is about {subject}.',
    'Is what I have enough for the next step?',
    'A short look back, so that no error is carried along.',
    'Before moving on I make sure that the passage can be trusted.',
  ],
  reflectGood: [
    'The first passage states that {told}. It is about the right entry, and the other passages do not disagree.',
    'That {told} is said outright, so this step is done. What remains is {goal}.',
    'Consistent so far: {told}. The evidence is sufficient up to this point.',
    'The passage names {value} without any reservation. I found nothing to the contrary.',
    'This was the right article. {Told}, and the chain can go on from there.',
    'One of the passages has the needed sentence: {told}. The others concern related entries and can be left aside.',
  ],
  reflectPoor: [
    'None of the passages answers the first step. The query was too general; it must contain the exact name.',
    'These passages only share common words with my query. The evidence is not sufficient, and the plan has to begin with the name in the question.',
  ],
  replanThink: [
    'The broad query led nowhere, so I plan again from {first} on.',
    'I need a narrower plan that starts at {first}.',
  ],
  reflectEnd: [
    'All links are covered: the last passage says that {told}. Nothing is missing any more.',
    'The chain is complete and free of contradictions, since {told}.',
    'Every hop has a passage to support it. {Told}, so the question can be answered.',
  ],
  answerThink: [
    '{Told}. That answers the question.',
    'The last hop is settled, {told}, so the answer is {value}.',
    'Putting it all together, {goal} is {value}.',
    'Each hop has been confirmed by a passage. I answer {value}.',
    'I am certain now: {told}.',
    'The evidence is complete. The question asked for {goal}, and that is {value}.',
  ],
} as const;
