import type { ScriptStep } from '../../../../schemas/teacherScript.ts';
import type { Question } from '../questions/createQuestions.ts';
import type { Random } from '../world/random.ts';
import { type Lookup, lookupsOf, slotsOf } from './lookups.ts';
import { mhqaPhrases } from './mhqaPhrases.ts';
import { createPhrases } from './phrasebook.ts';
import { planSteps, type Steps } from './planSteps.ts';
import { planText } from './planText.ts';
import { broadQueries, searchPhrases } from './searchPhrases.ts';

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

class MhqaSolution {
  readonly #question: Question;
  readonly #random: Random;
  readonly #say;
  readonly #plan: Steps;

  constructor(question: Question, random: Random) {
    this.#question = question;
    this.#random = random;
    this.#say = createPhrases({ ...searchPhrases, ...mhqaPhrases }, random);
    this.#plan = planSteps(question);
  }

  compose(style: MhqaStyle | 'short', lookups: readonly Lookup[]): ScriptStep[] {
    const last = lookups.at(-1)!;
    const verifies = style !== 'short' && lookups.length < leastSearches;
    const middle = Math.floor((lookups.length - 1) / 2);
    return [
      ...(style === 'replan' ? this.#deadEnd() : [this.#planStep('planThink')]),
      ...lookups.flatMap((lookup, at) => [
        this.#search(lookup, lookups[at - 1]),
        ...(at === middle && lookup !== last ? [this.#reflect('reflectGood', lookup)] : []),
      ]),
      ...(verifies ? [this.#verify(last)] : []),
      ...(this.#random.int(0, 1) === 0 || lookups.length === 1 ? [this.#reflect('reflectEnd', last)] : []),
      this.#answer(last),
    ];
  }

  #planStep(bank: 'planThink' | 'replanThink'): ScriptStep {
    const { steps, slots } = this.#plan;
    return { action: 'plan', think: this.#say(bank, slots), plan: planText(steps, this.#random) };
  }

  #deadEnd(): ScriptStep[] {
    const topic = broadQueries[this.#question.hops[0]!.entity.kind]!;
    const slots = { ...this.#plan.slots, topic };
    return [
      { action: 'plan', think: this.#say('planThink', slots), plan: this.#say('broadPlan', slots) },
      { action: 'tool', tool: 'wiki_search', think: this.#say('broadSearch'), input: { query: topic } },
      {
        action: 'reflection',
        think: this.#say('reflectThink', { subject: 'the thing I need' }),
        reflection: this.#say('reflectPoor'),
      },
      this.#planStep('replanThink'),
    ];
  }

  #search({ sought, bare, relation, extract }: Lookup, previous: Lookup | undefined): ScriptStep {
    const query = this.#random.pick(relation.queries).replace('{s}', bare);
    const think = previous
      ? this.#say('searchNext', { told: previous.leads, sought })
      : this.#say('searchFirst', { sought });
    return { action: 'tool', tool: 'wiki_search', think, input: { query }, extract };
  }

  #verify({ bare, value }: Lookup): ScriptStep {
    const query = `${bare} ${value}`;
    return { action: 'tool', tool: 'wiki_search', think: this.#say('verifySearch'), input: { query } };
  }

  #reflect(bank: 'reflectGood' | 'reflectEnd', lookup: Lookup): ScriptStep {
    const slots = { ...this.#plan.slots, ...slotsOf(lookup) };
    return {
      action: 'reflection',
      think: this.#say('reflectThink', slots),
      reflection: this.#say(bank, slots),
    };
  }

  #answer(last: Lookup): ScriptStep {
    const slots = { ...this.#plan.slots, ...slotsOf(last) };
    return { action: 'answer', think: this.#say('answerThink', slots), answer: last.value };
  }
}
