import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { RecordFailure } from '../../../contract/errors.ts';
import { crawlEndpoint } from '../../../tools/servers/crawlEndpoint.ts';
import type { ToolEndpoint } from '../../../tools/servers/createToolApp.ts';
import { retrievalEndpoint } from '../../../tools/servers/retrievalEndpoint.ts';
import { searchEndpoint } from '../../../tools/servers/searchEndpoint.ts';
import { anyBody, deepValues } from './support/anyBody.ts';
import { postJson } from './support/postJson.ts';
import { serve } from './support/serve.ts';

/** A server, and what it says to requests. */
interface Served {
  /** With what is behind it, given whether that fails. */
  readonly endpoint: (behind: () => void) => ToolEndpoint;
  readonly taken: string;
  readonly isAnswer: (json: JsonObject) => boolean;
  /** The message of an answer in the shape of its errors; else undefined. */
  readonly messageOf: (json: JsonObject, status: number) => unknown;
  readonly bad: readonly (readonly [name: string, body: unknown, message: string])[];
}

const number = (name: string) => `${name}: expected a whole number from 1 to 100`;
const urls = ['http://a.example'];

const servers: readonly Served[] = [
  {
    endpoint: (behind) =>
      searchEndpoint(
        {
          search: async (query) => {
            behind();
            return [{ title: query, link: 'http://a.example/', snippet: query }];
          },
        },
        10,
      ),
    taken: '{"q":"a"}',
    isAnswer: ({ organic }) =>
      Array.isArray(organic) && isJsonObject(organic[0]) && typeof organic[0].title === 'string',
    messageOf: ({ message, statusCode }, status) => (statusCode === status ? message : undefined),
    bad: [
      ['no query', {}, 'q: expected a text'],
      ['an empty query', { q: ' ' }, 'q: is empty'],
      ['a query of another type', { q: ['a'] }, 'q: expected a text'],
      ['a long query', { q: 'x'.repeat(10_001) }, 'q: is longer than 10000 characters'],
      ['no results', { q: 'a', num: 0 }, number('num')],
      ['too many results', { q: 'a', num: 101 }, number('num')],
      ['half a result', { q: 'a', num: 1.5 }, number('num')],
      ['a number as text', { q: 'a', num: '10' }, number('num')],
      ['two rules broken', '{"q": "a", "num": 9007199254740993}', `${number('num')}. Expected {"q": text`],
      ['a list', [{ q: 'a' }], 'the body: expected a JSON object'],
      ['null', 'null', 'the body: expected a JSON object'],
      ['no JSON', '{"q": "a"', 'the body is not JSON'],
    ],
  },
  {
    endpoint: (behind) =>
      retrievalEndpoint(
        {
          retrieve: async (queries) => {
            behind();
            return queries.map((contents) => [{ id: '1', contents, score: 1 }]);
          },
        },
        3,
      ),
    taken: '{"queries":["a"]}',
    isAnswer: ({ result }) => Array.isArray(result) && result.every(Array.isArray),
    messageOf: ({ detail }) => detail,
    bad: [
      ['no queries', {}, 'queries: expected a list of texts'],
      ['a text', { queries: 'a' }, 'queries: expected a list of texts'],
      ['a number among them', { queries: ['a', 1] }, 'queries.1: expected a text'],
      ['too many', { queries: Array(101).fill('a') }, 'queries: has more than 100 texts'],
      ['a long one', { queries: ['a', 'x'.repeat(10_001)] }, 'queries.1: is longer than 10000 characters'],
      ['topk 0', { queries: ['a'], topk: 0 }, number('topk')],
      ['topk 101', { queries: ['a'], topk: 101 }, number('topk')],
      ['topk 1e99', '{"queries": ["a"], "topk": 1e99}', number('topk')],
      ['topk as text', { queries: ['a'], topk: '3' }, number('topk')],
      ['a yes', { queries: ['a'], return_scores: 'yes' }, 'return_scores: expected true or false'],
      ['a list', ['a'], 'the body: expected a JSON object'],
      ['no JSON', 'queries=a', 'the body is not JSON'],
    ],
  },
  {
    endpoint: (behind) =>
      crawlEndpoint({
        read: async (asked) => {
          behind();
          const page = {
            ok: true,
            text: 'a page',
            page_text: 'a page',
            content_type: '',
            cut: false,
          } as const;
          return asked.map((url) => ({ ...page, url, final_url: url }));
        },
      }),
    taken: '{"urls":["https://a.example/"],"task":"t","think_content":"t"}',
    isAnswer: ({ success, obs, error_message, processing_time }) =>
      typeof success === 'boolean' &&
      typeof obs === 'string' &&
      (error_message === null) === success &&
      typeof processing_time === 'number',
    messageOf: ({ success, obs, error_message, processing_time }) =>
      success === false && obs === '' && typeof processing_time === 'number' ? error_message : undefined,
    bad: [
      ['no URLs', { task: 'x' }, 'urls: expected a list of texts'],
      ['a number', { urls: 5 }, 'urls: expected a list of texts'],
      ['a number among them', { urls: [...urls, 5] }, 'urls: expected a list of texts'],
      ['too many', { urls: Array(11).fill(urls[0]) }, 'urls: 11 are too many for one request; at most 10'],
      ['too many in one', { urls: [`${urls[0]}|`.repeat(11)] }, 'urls: 11 are too many for one request'],
      ['a task of another type', { urls, task: {} }, 'task: expected a text'],
      ['a list', urls, 'the body: expected a JSON object'],
      ['no JSON', '{', 'the body is not JSON'],
    ],
  },
];

const names = ['q', 'num', 'queries', 'topk', 'return_scores', 'urls', 'task', 'think_content', '__proto__'];
const body = anyBody(names);

describe.each(servers.map((served) => [served.endpoint(() => {}).path, served] as const))(
  '%s',
  (_, served) => {
    const { isAnswer, messageOf, bad, taken } = served;
    const endpoint = served.endpoint(() => {});

    test('answers whatever comes, or says what is wrong with it', async () => {
      const { server, logged } = await serve(endpoint);
      await fc.assert(
        fc.asyncProperty(body, async (sent) => {
          const { status, json } = await postJson(server.url, sent);
          expect([200, 400]).toContain(status);
          const isRight = status === 200 ? isAnswer(json) : typeof messageOf(json, status) === 'string';
          expect(isRight).toBe(true);
          if (status !== 200) expect(JSON.stringify(json)).not.toMatch(/node_modules|\.ts:\d/);
        }),
        { numRuns: 500, examples: [[taken]] },
      );
      expect(logged.some(({ status }) => status === 200)).toBe(true);
      expect(logged.some(({ status }) => status === 400)).toBe(true);
      expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200);
    });

    test('takes deep nesting for what it is', async () => {
      const { server } = await serve(endpoint);
      for (const deep of deepValues) {
        expect((await postJson(server.url, deep)).status).toBe(400);
        const among = `{"urls":["http://a.example"],"q":"a","queries":["a"],"x":${deep}}`;
        expect((await postJson(server.url, among)).status).toBeLessThan(500);
      }
    });

    test.each(bad)('a bad request (%s) is told what is wrong with it', async (_name, sent, message) => {
      let asked = false;
      const noted = served.endpoint(() => {
        asked = true;
      });
      const { server } = await serve(noted);
      const { status, json } = await postJson(server.url, sent);
      expect(status).toBe(400);
      expect(messageOf(json, status)).toContain(message);
      expect(JSON.stringify(json)).not.toMatch(/\.ts|node:/);
      expect(asked).toBe(false);
    });

    test('a failure behind it is 502, in its own shape', async () => {
      const failing = served.endpoint(() => {
        throw new RecordFailure('tool_unavailable', 'what is behind it failed');
      });
      const { server } = await serve(failing);
      const { status, json } = await postJson(server.url, taken);
      expect([status, messageOf(json, status)]).toEqual([502, 'what is behind it failed']);
    });
  },
);

test('a thousand mistakes make no long answer', async () => {
  const { server } = await serve(retrievalEndpoint({ retrieve: async () => [] }, 3));
  const { json } = await postJson(server.url, { queries: Array(1000).fill(1) });
  expect(String(json.detail).length).toBeLessThan(500);
});
