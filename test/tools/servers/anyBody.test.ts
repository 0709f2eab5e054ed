import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crawlEndpoint } from '../../../tools/servers/crawlEndpoint.ts';
import type { ToolEndpoint } from '../../../tools/servers/createToolApp.ts';
import { retrievalEndpoint } from '../../../tools/servers/retrievalEndpoint.ts';
import { searchEndpoint } from '../../../tools/servers/searchEndpoint.ts';
import { anyBody, deepValues } from './support/anyBody.ts';
import { postJson } from './support/postJson.ts';
import { serve } from './support/serve.ts';

const endpoints: readonly [
  ToolEndpoint,
  isAnswer: (json: never) => boolean,
  isRefusal: (json: never) => boolean,
][] = [
  [
    searchEndpoint(
      { search: async (query) => [{ title: query, link: 'http://a.example/', snippet: query }] },
      { defaultResults: 10, maxResults: 100 },
    ),
    ({ organic }: { organic: { title: unknown }[] }) => typeof organic[0]!.title === 'string',
    ({ message }: { message: unknown }) => typeof message === 'string',
  ],
  [
    retrievalEndpoint(
      { retrieve: async (queries) => queries.map((contents) => [{ id: '1', contents, score: 1 }]) },
      { defaultTopK: 3, maxTopK: 100, maxQueries: 10 },
    ),
    ({ result }: { result: unknown[] }) => Array.isArray(result) && result.every(Array.isArray),
    ({ detail }: { detail: unknown }) => typeof detail === 'string',
  ],
  [
    crawlEndpoint(
      {
        read: async (urls) =>
          urls.map((url) => ({
            url,
            ok: true,
            text: 'a page',
            page_text: 'a page',
            final_url: url,
            content_type: '',
            cut: false,
          })),
      },
      { maxUrls: 5 },
    ),
    (json: { success: unknown; obs: unknown; error_message: unknown; processing_time: unknown }) =>
      typeof json.success === 'boolean' &&
      typeof json.obs === 'string' &&
      (json.error_message === null) === json.success &&
      typeof json.processing_time === 'number',
    ({ success, error_message }: { success: unknown; error_message: unknown }) =>
      success === false && typeof error_message === 'string',
  ],
];

const names = ['q', 'num', 'queries', 'topk', 'return_scores', 'urls', 'task', 'think_content', '__proto__'];
const body = anyBody(names);

/** What each endpoint takes: nothing says that a random body is one of these. */
const taken = [
  '{"q":"a"}',
  '{"queries":["a"]}',
  '{"urls":["https://a.example/"],"task":"t","think_content":"t"}',
];

describe.each(endpoints)('whatever comes', (endpoint, isAnswer, isRefusal) => {
  test(`${endpoint.path} answers it or says what is wrong with it`, async () => {
    const { server, logged } = await serve(endpoint);
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const { status, json } = await postJson(server.url, sent);
        expect([200, 400]).toContain(status);
        expect((status === 200 ? isAnswer : isRefusal)(json as never)).toBe(true);
        if (status !== 200) expect(JSON.stringify(json)).not.toMatch(/node_modules|\.ts:\d/);
      }),
      { numRuns: 500, examples: taken.map((sent): [string] => [sent]) },
    );
    expect(logged.some(({ status }) => status === 200)).toBe(true);
    expect(logged.some(({ status }) => status === 400)).toBe(true);
    expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200);
  });

  test(`${endpoint.path} takes deep nesting for what it is`, async () => {
    const { server } = await serve(endpoint, { maxBodyBytes: 1_000_000 });
    for (const deep of deepValues) {
      expect((await postJson(server.url, deep)).status).toBe(400);
      expect(
        (await postJson(server.url, `{"urls":["http://a.example"],"q":"a","queries":["a"],"x":${deep}}`))
          .status,
      ).toBeLessThan(500);
    }
  });
});
