import type { JsonObject } from '../../../base/json.ts';
import { hashedShare } from '../../../schemas/hashedShare.ts';
import type { Form } from '../../../schemas/synthesis/form.ts';
import { answersOf, openSearches } from './knowledge.ts';
import { readFacts } from './readFacts.ts';

/** A call that the solver made, and what it showed. */
export interface SolvingTurn {
  /** `{action, input}`. */
  readonly call: JsonObject;
  readonly result: string;
}

interface Solving {
  readonly question: string;
  readonly turns: readonly SolvingTurn[];
  readonly seed: number;
}

/** Fewest and most calls after which a try gives up, drawn by its question and seed: what needs more fails more often. */
const PATIENCE = { least: 4, most: 16 };

/** Pages opened at once, as many as the tool takes. */
const MAX_PAGES = 10;

const link = /^\d+\. \[(.+)\]\((\S+)\)$/gm;

/**
 * The scripted solver's next step: searches for what the question names, opens what was found, goes on from what the
 * pages' tables state, and answers once they give one answer.
 */
export function toolTurn(form: Form | undefined, { question, turns, seed }: Solving): JsonObject {
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

/** Opens what the last search found and was not opened before: the page with the searched name, or all. */
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
