import { hashedShare } from '../../../schemas/hashedShare.ts';
import { type Form, linksOf, type ProposedFact, type Triple } from '../../../schemas/taskSynthesis.ts';
import { createSynthesisPlayer } from '../../../synthesis/player/createSynthesisPlayer.ts';
import { answersOf, namesOf } from '../../../synthesis/player/knowledge.ts';
import { readQuestion, writeQuestion } from '../../../synthesis/player/phrases.ts';
import { readFacts } from '../../../synthesis/player/readFacts.ts';
import type { WireChatRequest } from '../../../teachers/scripted/completion.ts';
import type { Player } from '../../../teachers/scripted/createChatHandler.ts';

/** Faults that the player plants, and the drop reason that must follow. */
export const faultEnds = {
  hallucinated_page: 'unsupported',
  swapped_gold: 'unsupported',
  unanswerable: 'unanswerable',
  cycle: 'cycle',
  false_hop: 'pseudo_step',
  answer_leak: 'answer_in_question',
  link_leak: 'link_in_question',
  drift: 'answer_drift',
  known_beforehand: 'closed_book',
} as const;
export type FaultKind = keyof typeof faultEnds;

/** A planted fault, and the fact or question that has it. */
export interface PlantedFault {
  readonly fault: FaultKind;
  readonly fact?: Pick<ProposedFact, 'subject' | 'relation' | 'value'>;
  readonly question?: string;
}

export interface FaultyPlayerOptions {
  readonly seed: number;
  /** Share of the facts, questions and closed-book answers that have a planted fault. */
  readonly rate: number;
  /** Documents of which the model knows some facts beforehand, as one that was trained on them does. */
  readonly remembered?: Iterable<{ readonly title: string; readonly text: string }>;
  /** Told of each fault; the same one may be told again. */
  readonly onPlanted?: (fault: PlantedFault) => void;
}

/** The scripted model that makes and checks tasks, with faults in some of what it says. */
export function createFaultyPlayer(options: FaultyPlayerOptions): Player {
  const { seed, rate, remembered = [], onPlanted = () => {} } = options;
  const memory = [...remembered].flatMap(({ title, text }) => readFacts(text, title));
  const faults = createFaults({ seed, rate, memory, onPlanted });
  const honest = createSynthesisPlayer(seed);
  return async (request) => {
    const played = await honest(request);
    if (played.reply.kind !== 'json') return played;
    const spoil = spoils[played.facts.role as string];
    const answer = spoil?.(materialOf(request), played.reply.answer, faults) ?? played.reply.answer;
    return { ...played, reply: { kind: 'json', answer } };
  };
}

type Material = {
  readonly lines?: Readonly<Record<string, string>>;
  readonly literal?: string;
  readonly question?: string;
  readonly passages?: unknown;
};

function materialOf({ messages }: WireChatRequest): Material {
  return JSON.parse(messages.find(({ role }) => role !== 'system')!.content!);
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of the player, whose form its name says
type Answer = any;

/** An answer with faults, by the name of its schema; undefined for one that stays. */
const spoils: Readonly<
  Record<string, (shown: Material, answer: Answer, faults: Faults) => Answer | undefined>
> = {
  proposed_facts({ lines = {} }, answer, faults) {
    const said = Object.entries<Answer>(answer.facts).map(([at, { line, many_valued, ...fact }]) => ({
      at,
      many_valued,
      fact: { ...fact, quote: lines[line]! } as ProposedFact,
    }));
    const facts = said.map(({ fact }) => fact);
    const spoiled = said.map(({ at, many_valued, fact }) => {
      const { quote, ...rest } = faults.inFact(fact, facts);
      // Line 0 stands for words that no line holds.
      const line = Object.entries(lines).find(([, text]) => text.includes(quote))?.[0] ?? 0;
      return [at, { line: Number(line), many_valued, ...rest }];
    });
    return { facts: Object.fromEntries(spoiled) };
  },
  written_question({ literal = '' }, _answer, faults) {
    const form = readQuestion(literal);
    return form && { question: faults.inQuestion(form, writeQuestion) };
  },
  solved({ question = '', passages }, _answer, faults) {
    if (Array.isArray(passages)) return undefined;
    return { answer: faults.knownBeforehand(question, readQuestion(question)) };
  },
};

/** Puts faults into what a scripted model says, by a seeded choice for each fact and question. */
interface Faults {
  /** A fact as it is said; `others` are those of its document. */
  inFact(fact: ProposedFact, others: readonly ProposedFact[]): ProposedFact;
  /** A question as it is written. */
  inQuestion(form: Form, write: (form: Form) => string): string;
  /** What the model knows of a question without any document; null for nothing. */
  knownBeforehand(question: string, form: Form | undefined): string | null;
}

interface FaultOptions {
  readonly seed: number;
  readonly rate: number;
  /** What the model remembers of the documents. */
  readonly memory: readonly ProposedFact[];
  readonly onPlanted: (fault: PlantedFault) => void;
}

/** A fact with a fault; undefined where its document has no room for it. */
type SpoilFact = (fact: ProposedFact, others: readonly ProposedFact[]) => ProposedFact | undefined;

const factFaults: Readonly<Partial<Record<FaultKind, SpoilFact>>> = {
  hallucinated_page: (fact) => ({
    ...fact,
    quote: `It is well known that the ${fact.relation} of ${fact.subject} is ${fact.value}.`,
  }),
  swapped_gold: (fact, others) => {
    const other = others.find(({ type, value }) => type === fact.type && value !== fact.value);
    return other && !fact.quote.includes(other.value) ? { ...fact, value: other.value } : undefined;
  },
  unanswerable: (fact) => ({ ...fact, relation: `former ${fact.relation}` }),
  cycle: (fact) => ({
    ...fact,
    relation: 'neighbour',
    value: fact.subject,
    type: 'entity',
    quote: fact.subject,
  }),
  false_hop: (fact) => {
    const short = fact.subject.split(' ').at(-1)!;
    const renamed = {
      ...fact,
      relation: 'other name',
      value: short,
      type: 'entity' as const,
      quote: fact.subject,
    };
    return short === fact.subject ? undefined : renamed;
  },
};

/** A question with a fault; undefined where the form has no room for it. */
type SpoilQuestion = (
  form: Form,
  write: (form: Form) => string,
  memory: readonly ProposedFact[],
) => string | undefined;

const questionFaults: Readonly<Partial<Record<FaultKind, SpoilQuestion>>> = {
  answer_leak: (form, write, memory) => {
    const answer = byHeart(form, memory);
    return answer === undefined ? undefined : `${write(form)} Some say that it is ${answer}.`;
  },
  link_leak: (form, write, memory) => {
    const [link] = linksOf(form)
      .map((variable) => namesOf(form, variable, memory))
      .flatMap((names) => (names.length === 1 ? names : []));
    return link === undefined ? undefined : `${write(form)} It has to do with ${link}.`;
  },
  drift: (form, write) => write(drifted(form)),
};

/**
 * The one answer that the model remembers; undefined for several, and for counts: by heart there may be more than the
 * documents' extracted facts say.
 */
function byHeart(form: Form, memory: readonly ProposedFact[]): string | undefined {
  const [answer, ...others] = form.ask === 'value' ? answersOf(form, memory) : [];
  return others.length > 0 ? undefined : answer;
}

/** The form with the winner of its comparison, or the relation that is asked for, swapped. */
function drifted(form: Form): Form {
  const { compare, triples } = form;
  if (compare)
    return { ...form, compare: { ...compare, picks: compare.picks === 'largest' ? 'smallest' : 'largest' } };
  const [[subject, relation, value], ...rest] = triples as [Triple, ...Triple[]];
  const other = relation === 'founder' ? 'birthplace' : 'founder';
  return { ...form, triples: [[subject, other, value], ...rest] };
}

/** Creates the choice of faults. Depends on the seed and on what is said alone. */
function createFaults({ seed, rate, memory, onPlanted }: FaultOptions): Faults {
  /** The kinds of faults, from the drawn one on, or none. */
  function drawn<Kind extends string>(kinds: readonly Kind[], key: string): Kind[] {
    if (hashedShare('fault', seed, key) >= rate) return [];
    const first = Math.floor(hashedShare('kind', seed, key) * kinds.length);
    return [...kinds.slice(first), ...kinds.slice(0, first)];
  }

  return {
    inFact(fact, others) {
      const key = `${fact.subject}\n${fact.quote}`;
      for (const fault of drawn(Object.keys(factFaults) as FaultKind[], key)) {
        const spoiled = factFaults[fault]!(fact, others);
        if (!spoiled) continue;
        const { subject, relation, value } = spoiled;
        onPlanted({ fault, fact: { subject, relation, value } });
        return spoiled;
      }
      return fact;
    },
    inQuestion(form, write) {
      for (const fault of drawn(Object.keys(questionFaults) as FaultKind[], JSON.stringify(form))) {
        const question = questionFaults[fault]!(form, write, memory);
        if (question === undefined) continue;
        onPlanted({ fault, question });
        return question;
      }
      return write(form);
    },
    knownBeforehand(question, form) {
      const answer = form && byHeart(form, memory);
      if (answer === undefined || drawn(['known_beforehand'], question).length === 0) return null;
      onPlanted({ fault: 'known_beforehand', question });
      return answer;
    },
  };
}
