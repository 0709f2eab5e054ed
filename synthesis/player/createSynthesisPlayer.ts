import { isJsonObject, type JsonObject, safeParseJson } from '../../base/json.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import type { Form, ProposedFact } from '../../schemas/taskSynthesis.ts';
import type { WireChatRequest } from '../../teachers/scripted/completion.ts';
import type { Player } from '../../teachers/scripted/createChatHandler.ts';
import { writtenForm } from '../models/literalQuestion.ts';
import { answersOf, openSearches } from './knowledge.ts';
import { readQuestion, writeQuestion } from './phrases.ts';
import { readFacts } from './readFacts.ts';

interface SolvingTurn {
  /** `{action, input}`. */
  readonly call: JsonObject;
  readonly result: string;
}

interface Solving {
  readonly question: string;
  readonly turns: readonly SolvingTurn[];
  readonly seed: number;
}

/** Range of calls after which a try gives up, drawn by question and seed, so that long searches fail more often. */
const PATIENCE = { least: 4, most: 16 };

/** Maximum pages per call, the limit of the tool. */
const MAX_PAGES = 10;

const link = /^\d+\. \[(.+)\]\((\S+)\)$/gm;

/**
 * Next step of the scripted solver: searches for names in the question, opens results, follows the pages' tables, and
 * answers once they give a single answer.
 */
function toolTurn(form: Form | undefined, { question, turns, seed }: Solving): JsonObject {
  const facts = turns.flatMap(({ result }) => readFacts(result));
  const answers = form ? answersOf(form, facts) : [];
  const isCount = form?.ask === 'count';
  if (!isCount && answers.length === 1) return answer(answers[0]!);
  if (!form || turns.length >= patience(question, seed)) return answer('');
  return (
    openFound(turns) ??
    nextSearch(openSearches(form, facts), turns) ??
    answer(answers.length === 1 ? answers[0]! : '')
  );
}

function answer(words: string): JsonObject {
  return { action: 'answer', answer: words };
}

function patience(question: string, seed: number): number {
  const { least, most } = PATIENCE;
  return least + Math.floor(hashedShare('patience', seed, question) * (most - least + 1));
}

/** Opens unopened results of the last search: the page with the searched name, or all. */
function openFound(turns: readonly SolvingTurn[]): JsonObject | undefined {
  const last = turns.at(-1);
  if (last?.call.action !== 'web_search') return undefined;
  const { query } = last.call.input as { query: string };
  const opened = new Set(turns.flatMap(({ call }) => urlsOf(call)));
  const found = [...last.result.matchAll(link)].map(([, title, url]) => ({ title: title!, url: url! }));
  const named = found.filter(({ title }) => title === query || title.startsWith(`${query} - `));
  const urls = (named.length > 0 ? named : found).map(({ url }) => url).filter((url) => !opened.has(url));
  return urls.length === 0 ? undefined : { action: 'crawl_page', input: { urls: urls.slice(0, MAX_PAGES) } };
}

function urlsOf({ action, input }: JsonObject): string[] {
  return action === 'crawl_page' ? ((input as { urls?: string[] }).urls ?? []) : [];
}

function nextSearch(searches: readonly string[], turns: readonly SolvingTurn[]): JsonObject | undefined {
  const asked = new Set(turns.map(({ call }) => (call.input as { query?: string } | undefined)?.query));
  const query = searches.find((words) => !asked.has(words));
  return query === undefined ? undefined : { action: 'web_search', input: { query } };
}

interface Shown {
  readonly data: JsonObject;
  readonly turns: readonly SolvingTurn[];
  /** Seed of the request, which differs between tries. */
  readonly seed: number;
}

type Play = (shown: Shown) => JsonObject;

/** Answers by schema name. */
const plays: Readonly<Record<string, Play>> = {
  proposed_facts: ({ data }) => {
    const lines = Object.entries(data.lines ?? {}).map(([line, text]) => ({
      line: Number(line),
      text: textOf(text),
    }));
    const facts = readFacts(lines.map(({ text }) => text).join('\n'), textOf(data.title));
    const tasks = JSON.stringify(data.tasks ?? []);
    facts.sort((a, b) => Number(tasks.includes(`"${b.value}"`)) - Number(tasks.includes(`"${a.value}"`)));
    const said = facts.slice(0, Number(data.most)).map((fact, at) => {
      const { quote, ...rest } = fact;
      const { line } = lines.find(({ text }) => text.includes(quote))!;
      return [`${at + 1}`, { line, many_valued: false, ...rest }] as const;
    });
    return { facts: Object.fromEntries(said) };
  },
  picked_step: ({ data, seed }) => {
    const steps = Object.keys(data.steps ?? {});
    const place = Math.floor(hashedShare('step', seed, JSON.stringify(data)) * steps.length);
    return { pick: steps.length === 0 ? null : Number(steps[place]) };
  },
  written_question: ({ data }) => {
    const form = readQuestion(textOf(data.literal));
    return { question: form ? writeQuestion(form) : textOf(data.literal) };
  },
  read_form: ({ data }) => {
    const question = textOf(data.question);
    const unread: Form = { asked: '?x', ask: 'value', triples: [['?x', 'unread', question]] };
    return writtenForm(readQuestion(question) ?? unread);
  },
  solved: ({ data }) => {
    // The scripted model has no knowledge without passages.
    if (!Array.isArray(data.passages)) return { answer: null };
    const facts = data.passages.flatMap((text) => readFacts(textOf(text)));
    return { found: [], answer: onlyAnswer(readQuestion(textOf(data.question)), facts) };
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
 * Creates a scripted model for the five roles. It works on the text of each request, in a controlled English of its
 * own.
 *
 * @param seed - Used for requests without a seed
 */
export function createSynthesisPlayer(seed: number): Player {
  return (request) => {
    const format = request.response_format;
    const name = format?.type === 'json_schema' ? format.json_schema.name : '';
    const play = Object.hasOwn(plays, name) ? plays[name] : undefined;
    const shown = shownIn(request, seed);
    const facts = { role: name, question: null };
    if (!play || !shown) return { reply: { kind: 'off_script', message: expected }, facts };
    return { reply: { kind: 'json', answer: play(shown) }, facts };
  };
}

const expected = `expected a response_format json_schema named one of ${Object.keys(plays).join(', ')}, and the user's message as one JSON object`;

function shownIn({ messages, seed }: WireChatRequest, defaultSeed: number): Shown | undefined {
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
  return { data, turns, seed: seed ?? defaultSeed };
}

function onlyAnswer(form: Form | undefined, facts: readonly ProposedFact[]): string | null {
  const [answer, ...others] = form ? answersOf(form, facts) : [];
  return answer === undefined || others.length > 0 ? null : answer;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
