import { isJsonObject, type JsonObject, safeParseJson } from '../../../base/json.ts';
import { hashedShare } from '../../../schemas/hashedShare.ts';
import type { ProposedFact } from '../../../schemas/synthesis/fact.ts';
import type { Form } from '../../../schemas/synthesis/form.ts';
import type { PlantedFault } from '../../../schemas/synthesis/plantedFault.ts';
import { writtenForm } from '../../synthesis/writtenForm.ts';
import type { WireChatRequest } from '../completion.ts';
import type { Player } from '../createChatHandler.ts';
import { answersOf } from './knowledge.ts';
import { readQuestion, writeQuestion } from './phrases.ts';
import { createFaults, type Faults } from './plantFaults.ts';
import { readFacts } from './readFacts.ts';
import { type SolvingTurn, toolTurn } from './toolTurn.ts';

export interface SynthesisPlayerOptions {
  readonly seed: number;
  /** Share of the facts, questions and closed-book answers that have a planted fault. */
  readonly rate: number;
  /** Documents of which the model knows some facts beforehand, as one that was trained on them does. */
  readonly remembered: Iterable<{ readonly title: string; readonly text: string }>;
  /** Told of each fault, and waited for before the answer with it leaves; the same one may be told again. */
  readonly onPlanted: (fault: PlantedFault) => unknown;
}

/** What the player sees of a request: the material that it is shown, and what was said after it. */
export interface Shown {
  readonly data: JsonObject;
  readonly turns: readonly SolvingTurn[];
  /** The request's seed: equal questions of several tries differ in it. */
  readonly seed: number;
}

type Play = (shown: Shown, faults: Faults) => JsonObject;

/** What is played for each question to a role, by the name of its answer's schema. */
const plays: Readonly<Record<string, Play>> = {
  proposed_facts: ({ data }, faults) => {
    const lines = Object.entries(data.lines ?? {}).map(([line, text]) => ({
      line: Number(line),
      text: textOf(text),
    }));
    const facts = readFacts(lines.map(({ text }) => text).join('\n'), textOf(data.title));
    const tasks = JSON.stringify(data.tasks ?? []);
    facts.sort((a, b) => Number(tasks.includes(`"${b.value}"`)) - Number(tasks.includes(`"${a.value}"`)));
    const said = facts.slice(0, Number(data.most)).map((fact, at) => {
      const { quote, ...rest } = faults.inFact(fact, facts);
      // A line that there is not, for words that no line holds.
      const line = lines.find(({ text }) => text.includes(quote))?.line ?? 0;
      return [`${at + 1}`, { line, many_valued: false, ...rest }] as const;
    });
    return { facts: Object.fromEntries(said) };
  },
  picked_step: ({ data, seed }) => {
    const steps = Object.keys(data.steps ?? {});
    const place = Math.floor(hashedShare('step', seed, JSON.stringify(data)) * steps.length);
    return { pick: steps.length === 0 ? null : Number(steps[place]) };
  },
  written_question: ({ data }, faults) => {
    const form = readQuestion(textOf(data.literal));
    return { question: form ? faults.inQuestion(form, writeQuestion) : textOf(data.literal) };
  },
  read_form: ({ data }) => {
    const question = textOf(data.question);
    const unread: Form = { asked: '?x', ask: 'value', triples: [['?x', 'unread', question]] };
    return writtenForm(readQuestion(question) ?? unread);
  },
  solved: ({ data }, faults) => {
    const question = textOf(data.question);
    if (!Array.isArray(data.passages))
      return { answer: faults.knownBeforehand(question, readQuestion(question)) };
    const facts = data.passages.flatMap((text) => readFacts(textOf(text)));
    return { found: [], answer: onlyAnswer(readQuestion(question), facts) };
  },
  other_answer: ({ data }) => {
    const form = readQuestion(textOf(data.question));
    const fits = form ? answersOf(form, readFacts(textOf(data.shown))) : [];
    const meets_all = fits.includes(textOf(data.answer));
    return { rationale: `By what was shown the answers are: ${fits.join(', ') || 'none'}.`, meets_all };
  },
  tool_turn: ({ data, turns, seed }) => {
    const question = textOf(data.question);
    return { next: toolTurn(readQuestion(question), { question, turns, seed }) };
  },
};

/**
 * A scripted model that makes and checks tasks: it plays the five roles from the text of each request, which it reads
 * and writes in a small English of its own. It knows nothing of the world that documents come from.
 */
export function createSynthesisPlayer(options: SynthesisPlayerOptions): Player {
  const memory: ProposedFact[] = [];
  for (const { title, text } of options.remembered) memory.push(...readFacts(text, title));
  const told: unknown[] = [];
  const onPlanted = (fault: PlantedFault) => void told.push(options.onPlanted(fault));
  const faults = createFaults({ ...options, memory, onPlanted });
  return async (request) => {
    const format = request.response_format;
    const name = format?.type === 'json_schema' ? format.json_schema.name : '';
    const play = Object.hasOwn(plays, name) ? plays[name] : undefined;
    const shown = shownIn(request, options.seed);
    const facts = { role: name, question: null };
    if (!play || !shown) return { reply: { kind: 'off_script', message: expected }, facts };
    const answer = play(shown, faults);
    await Promise.all(told.splice(0));
    return { reply: { kind: 'json', answer }, facts };
  };
}

const expected = `expected a response_format json_schema named one of ${Object.keys(plays).join(', ')}, and the user's message as one JSON object`;

function shownIn({ messages, seed }: WireChatRequest, usual: number): Shown | undefined {
  const objects = messages.flatMap(({ role, content }) => {
    if (role === 'system') return [];
    const parsed = safeParseJson(content ?? '');
    return parsed.ok && isJsonObject(parsed.value) ? [parsed.value] : [];
  });
  const [data, ...rest] = objects;
  if (!data) return undefined;
  const turns: SolvingTurn[] = [];
  for (let at = 0; at + 1 < rest.length; at += 2) {
    turns.push({ call: rest[at]!.next as JsonObject, result: textOf(rest[at + 1]!.result) });
  }
  return { data, turns, seed: seed ?? usual };
}

/** The answer where the facts give one alone. */
function onlyAnswer(form: Form | undefined, facts: readonly ProposedFact[]): string | null {
  const [answer, ...others] = form ? answersOf(form, facts) : [];
  return answer === undefined || others.length > 0 ? null : answer;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
