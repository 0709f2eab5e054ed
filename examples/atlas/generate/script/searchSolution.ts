import type { ScriptStep } from '../../../../schemas/teacherScript.ts';
import { type Question, withArticle } from '../questions/createQuestions.ts';
import { relationOf } from '../questions/relations.ts';
import type { Random } from '../world/random.ts';
import { comparisonBy } from './comparisons.ts';
import type { Lookup } from './lookups.ts';
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

const verbs = ['Find', 'Look up', 'Identify', 'Establish', 'Determine'];

/** A plan in words: numbered steps, or the same as prose. */
function planText(steps: readonly string[], random: Random): string {
  const forms = [numbered, prose, chain, tasks];
  return random.pick(forms)(steps, random);
}

function numbered(steps: readonly string[], random: Random): string {
  const [verb] = random.shuffle(verbs);
  return steps.map((step, at) => `${at + 1}. ${verb} ${step}.`).join('\n');
}

function tasks(steps: readonly string[], random: Random): string {
  const order = random.shuffle(verbs);
  return steps.map((step, at) => `- ${order[at % order.length]} ${step}`).join('\n');
}

function prose(steps: readonly string[]): string {
  const [first, ...rest] = steps;
  const links = rest.map((step, at) =>
    at === rest.length - 1 ? `Finally, ${step}.` : `After that, ${step}.`,
  );
  return [`First establish ${first}.`, ...links].join(' ');
}

function chain(steps: readonly string[]): string {
  const last = steps.length - 1;
  return `${steps.map((step, at) => (at === 0 ? capitalised(step) : at === last ? `and from there ${step}` : `then ${step}`)).join(', ')}. Each of these has to be read in an article before the next is looked for.`;
}

/** What a value is called once it is no longer named. */
const nouns: Readonly<Record<string, string>> = {
  builder: 'yard',
  birthplace: 'town',
  seat: 'town',
  subject: 'island',
};

/** What a question leads through, as noun phrases. */
interface Steps {
  /** What has to be found out, in order. */
  readonly steps: readonly string[];
  /** Words for phrases: the first step, what the question asks for, and how many steps there are. */
  readonly slots: Readonly<Record<'first' | 'goal' | 'n', string>>;
}

/** The steps to the answer of a question. */
function planSteps({ hops, compared }: Question): Steps {
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

/** Gives a different one of the phrases each time, until all have been used. */
type Phrases<Bank extends string> = (bank: Bank, slots?: Readonly<Record<string, string>>) => string;

/**
 * A voice that says things from banks of phrases. `{slot}` is filled, with a capital for `{Slot}`; `{{name}}` is left
 * to the teacher, who knows the value only when a tool has shown it.
 */
function createPhrases<Bank extends string>(
  banks: Readonly<Record<Bank, readonly string[]>>,
  random: Random,
): Phrases<Bank> {
  const decks = new Map<Bank, string[]>();
  return (bank, slots = {}) => {
    const deck = decks.get(bank) ?? [];
    if (deck.length === 0) deck.push(...random.shuffle(banks[bank]));
    decks.set(bank, deck);
    return deck.pop()!.replace(/(?<!\{)\{(\w+)\}(?!\})/g, (_, slot: string) => fillSlot(slot, slots));
  };
}

/** The text with its first letter as a capital; values that are not known yet stay as they are. */
function capitalised(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

function fillSlot(slot: string, slots: Readonly<Record<string, string>>): string {
  const name = slot.toLowerCase();
  const value = slots[name];
  if (value === undefined) throw new Error(`no words for {${slot}}`);
  return slot === name ? value : capitalised(value);
}
