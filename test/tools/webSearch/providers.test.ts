import { describe, expect, test } from 'vitest';
import { ServiceFault } from '../../../contract/serviceCalls.ts';
import { lengthProblem, searchProviders } from '../../../tools/webSearch/searchProviders.ts';
import { answers } from './support/recordedAnswers.ts';

const { brave, searxng, serper, tavily } = searchProviders;
const errorAnswer = (status: number, body: unknown, headers = {}) => ({
  status,
  body,
  headers: new Headers(headers),
});

test('a service of the shape of Serper is sent the header of the key also where it wants none', () => {
  expect(serper.request({ query: 'q', num: 1 }, undefined).headers).toMatchObject({ 'x-api-key': '' });
  expect(searxng.request({ query: 'q', num: 1 }, undefined).headers).toEqual({ accept: 'application/json' });
});

describe('answers', () => {
  const kessa = 'https://atlas.example/kessa';
  const ada = { title: 'Ada Rell', link: 'https://atlas.example/ada' };
  test.each([
    [
      'serper',
      { title: 'Kessa', link: kessa, snippet: 'An island of the north.', date: 'May 2, 2019' },
      { ...ada, source: 'Atlas' },
    ],
    [
      'searxng',
      { title: 'Kessa', link: kessa, snippet: 'An island <of> the north & more.', date: '2019-05-02' },
      { ...ada, snippet: '' },
    ],
    [
      // HTML is read as text.
      'brave',
      {
        title: 'Kessa – “Atlas”',
        link: kessa,
        snippet: 'An island of the north & more: 3 < 4.',
        date: '2019-05-02',
        source: 'Atlas',
      },
      { ...ada, snippet: '', date: '3 days ago' },
    ],
    [
      'tavily',
      { title: 'Kessa & Ada', link: kessa, snippet: 'An island of the north. 3 < 4' },
      { ...ada, snippet: 'Keeper of the light.', date: 'Thu, 02 May 2019 10:00:00 GMT' },
    ],
  ] as const)('of %s', (name, first, second) => {
    expect(searchProviders[name].read(answers[name])).toEqual([first, second]);
  });

  test('of a Brave that found nothing', () => {
    expect(brave.read({ type: 'search', query: { original: 'nothing' } })).toEqual([]);
  });

  test('of a SearXNG whose engines were all silent are no "nothing found"', () => {
    const answer = { query: 'q', results: [], unresponsive_engines: [['google', 'timeout']] };
    expect(() => searxng.read(answer)).toThrow(ServiceFault);
    expect(searxng.read({ ...answer, unresponsive_engines: [] })).toEqual([]);
    // Others found something.
    expect(
      searxng.read({ ...answers.searxng, ...answer, results: [{ url: 'http://a.example' }] }),
    ).toHaveLength(1);
  });
});

describe('what errors mean', () => {
  test('Brave says 422 for a wrong key and for a wrong query, 429 for a second and for a month', () => {
    const meaning = (status: number, error: object, headers = {}) =>
      brave.explain(errorAnswer(status, { type: 'ErrorResponse', error }, headers));
    expect(meaning(422, { code: 'SUBSCRIPTION_TOKEN_INVALID', detail: 'The token is invalid.' })).toEqual({
      detail: 'SUBSCRIPTION_TOKEN_INVALID: The token is invalid.',
      isOfQuery: false,
      retryAfter: undefined,
    });
    const errors = (parameter: string) => [
      { loc: ['query', parameter], msg: 'too long', type: 'value_error' },
    ];
    expect(meaning(422, { code: 'VALIDATION', meta: { errors: errors('q') } }).isOfQuery).toBe(true);
    expect(meaning(422, { code: 'VALIDATION', meta: { errors: errors('count') } }).isOfQuery).toBe(false);
    const meta = { rate_limit: 1, rate_current: 1, quota_limit: 2000, quota_current: 15 };
    const second = meaning(429, { code: 'RATE_LIMITED', meta }, { 'x-ratelimit-reset': '1, 1419704' });
    expect(second).toMatchObject({ retryAfter: '1' });
    expect(second.retried).toBeUndefined();
    const spent = { ...meta, quota_current: 2000 };
    expect(meaning(429, { code: 'RATE_LIMITED', meta: spent })).toMatchObject({ retried: false });
    expect(meaning(429, { code: 'QUOTA_LIMITED' })).toMatchObject({ retried: false });
    expect(brave.explain(errorAnswer(502, undefined))).toEqual({});
  });
});

test('queries that are too long are refused before they are sent', () => {
  const words = (count: number) => Array.from({ length: count }, () => 'sea').join(' ');
  expect(lengthProblem(brave, words(50))).toBeUndefined();
  expect(lengthProblem(brave, ` ${words(50)}\n`)).toBeUndefined();
  expect(lengthProblem(brave, words(51))).toBe('the query has 51 words; brave takes at most 50');
  expect(lengthProblem(brave, 'x'.repeat(401))).toBe('the query has 401 characters; brave takes at most 400');
  expect(lengthProblem(tavily, 'x'.repeat(400))).toBeUndefined();
  expect(lengthProblem(tavily, 'x'.repeat(401))).toBe(
    'the query has 401 characters; tavily takes at most 400',
  );
  expect(lengthProblem(serper, 'x'.repeat(4000)) ?? lengthProblem(searxng, 'x'.repeat(4000))).toBeUndefined();
});
