import type { ScriptStep } from '../../../../schemas/teacherScript.ts';
import type { Question } from '../questions/createQuestions.ts';
import type { Random } from '../world/random.ts';
import type { Lookup } from './lookups.ts';
import { createPhrases, type Phrases } from './phrasebook.ts';
import { planSteps, type Steps } from './planSteps.ts';
import { planText } from './planText.ts';
import { broadQueries, searchPhrases } from './searchPhrases.ts';

type ToolStep = Extract<ScriptStep, { action: 'tool' }>;

/** What a team that searches does on the web and in the encyclopedia alike: it plans, searches, and changes its plan. */
export abstract class SearchSolution<Bank extends string> {
  protected readonly random: Random;
  protected readonly say: Phrases<Bank | 'replanThink' | keyof typeof searchPhrases>;
  protected readonly plan: Steps;
  readonly #question: Question;
  readonly #tool: string;

  constructor(
    question: Question,
    random: Random,
    { tool, phrases }: { tool: string; phrases: Readonly<Record<Bank | 'replanThink', readonly string[]>> },
  ) {
    this.#question = question;
    this.#tool = tool;
    this.random = random;
    this.say = createPhrases<Bank | 'replanThink' | keyof typeof searchPhrases>(
      { ...searchPhrases, ...phrases },
      random,
    );
    this.plan = planSteps(question);
  }

  /** The plan at the start, or the whole detour of a first search that leads nowhere. */
  protected opening(style: string, lookBack: () => ScriptStep): ScriptStep[] {
    return style === 'replan' ? this.#deadEnd(lookBack) : [this.#planStep('planThink')];
  }

  /** The search for a link of the chain. */
  protected search(
    { sought, bare, relation }: Lookup,
    previous: Lookup | undefined,
    extract: ToolStep['extract'],
  ): ScriptStep {
    const query = this.random.pick(relation.queries).replace('{s}', bare);
    const think = previous
      ? this.say('searchNext', { told: previous.leads, sought })
      : this.say('searchFirst', { sought });
    return { action: 'tool', tool: this.#tool, think, input: { query }, extract };
  }

  /** A second look at what is known already. */
  protected verify(query: string): ScriptStep {
    return { action: 'tool', tool: this.#tool, think: this.say('verifySearch'), input: { query } };
  }

  #planStep(bank: 'planThink' | 'replanThink'): ScriptStep {
    const { steps, slots } = this.plan;
    return { action: 'plan', think: this.say(bank, slots), plan: planText(steps, this.random) };
  }

  /** A survey that does not exist, and the change of plan that it takes. */
  #deadEnd(lookBack: () => ScriptStep): ScriptStep[] {
    const query = broadQueries[this.#question.hops[0]!.entity.kind]!;
    const slots = { ...this.plan.slots, topic: query };
    return [
      { action: 'plan', think: this.say('planThink', slots), plan: this.say('broadPlan', slots) },
      { action: 'tool', tool: this.#tool, think: this.say('broadSearch'), input: { query } },
      lookBack(),
      this.#planStep('replanThink'),
    ];
  }
}
