import { readdirSync, readFileSync } from 'node:fs';
import type { LoadRequest } from './httpLoad.ts';

const atlas = new URL('../../examples/atlas/', import.meta.url);
const pages = readdirSync(new URL('site', atlas)).filter((name) => name.endsWith('.html'));
const titles = [
  ...new Set(
    readFileSync(new URL('passages.jsonl', atlas), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => /^"(.*)"/.exec((JSON.parse(line) as { contents: string }).contents)?.[1] ?? ''),
  ),
].filter((title) => title !== '');

/** Requests over the whole bundled atlas, one title after another, and what a right answer holds. */
export const atlasRequests = {
  web_search: (url: string, n: number): LoadRequest => ({
    url,
    body: JSON.stringify({ q: titleOf(n), num: 10 }),
    isRight: (answer) => lengthOf((answer as { organic?: unknown }).organic) > 0,
  }),
  wiki_search: (url: string, n: number): LoadRequest => ({
    url,
    body: JSON.stringify({ queries: [titleOf(n), titleOf(n + 1)], topk: 3, return_scores: true }),
    isRight: (answer) => {
      const { result } = answer as { result?: readonly unknown[] };
      return lengthOf(result) === 2 && result!.every((found) => lengthOf(found) > 0);
    },
  }),
  crawl_page: (url: string, n: number): LoadRequest => ({
    url,
    body: JSON.stringify({
      urls: [`http://atlas.example/${pages[n % pages.length]}`],
      task: 'load',
      summary_prompt_type: 'webthinker_with_goal',
    }),
    isRight: (answer) => /^Page 1 \[\S+\] Summary:\n/.test((answer as { obs?: string }).obs ?? ''),
  }),
};

function titleOf(n: number): string {
  return titles[n % titles.length]!;
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
