import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { rejects, says, startTinyServer, type TinyAnswer } from '../support/startTinyServer.ts';
import {
  failureOfCall,
  modelAt,
  neverAborted,
  plainRequest,
  toolRequest,
  wordRequest,
} from '../support/tinyModel.ts';

type Format = 'openai_schema' | 'llama_cpp_schema' | 'json_object' | 'text';

function formatOf({ response_format }: JsonObject): Format {
  if (response_format === undefined) return 'text';
  const { type, schema } = response_format as { type: string; schema?: unknown };
  if (type === 'json_schema') return 'openai_schema';
  return schema ? 'llama_cpp_schema' : 'json_object';
}

const good = says('{"word": "tree"}');

/** A server that takes one spelling, and says so or not. */
function serverThatTakes(known: Format, rejection: TinyAnswer) {
  return startTinyServer(({ body }) => ([known, 'text'].includes(formatOf(body)) ? good : rejection));
}

const ladder: readonly Format[] = ['openai_schema', 'llama_cpp_schema', 'json_object', 'text'];

describe.each([
  [
    '500 that is a validation error',
    rejects(500, "1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}"),
  ],
  ['422 that names the format', rejects(422, "response_format.type: Input should be 'text'")],
  ['400 that names nothing', rejects(400, 'Bad Request')],
])('an endpoint that answers %s', (_, rejection) => {
  test.each(ladder)('and takes %s only is asked that way from then on', async (known) => {
    const { baseUrl, requests } = await serverThatTakes(known, rejection);
    const model = modelAt(baseUrl);
    const answers = [
      await model.chat(wordRequest, neverAborted),
      await model.chat(wordRequest, neverAborted),
    ];
    expect(answers.map((answer) => answer.response_format)).toEqual([known, known]);
    expect(requests.map(({ body }) => formatOf(body))).toEqual([
      ...ladder.slice(0, ladder.indexOf(known) + 1),
      known,
    ]);
  });
});

describe('finding out', () => {
  test('is done once for requests that come together', async () => {
    const { baseUrl, requests } = await serverThatTakes('json_object', rejects(400, 'response_format?'));
    const model = modelAt(baseUrl);
    await Promise.all(Array.from({ length: 6 }, () => model.chat(wordRequest, neverAborted)));
    expect(requests.map(({ body }) => formatOf(body))).toEqual([
      'openai_schema',
      'llama_cpp_schema',
      ...Array.from({ length: 6 }, () => 'json_object'),
    ]);
  });

  test('goes on to the next format after two answers that are no JSON', async () => {
    const server = await startTinyServer(({ body }) =>
      formatOf(body) === 'llama_cpp_schema' ? good : says('A tree, I think.'),
    );
    const model = modelAt(server.baseUrl);
    const formats: unknown[] = [];
    for (let ask = 0; ask < 4; ask++)
      formats.push((await model.chat(wordRequest, neverAborted)).response_format);
    expect(formats).toEqual(['openai_schema', 'openai_schema', 'llama_cpp_schema', 'llama_cpp_schema']);
  });

  test('stays with a format whose answers are sometimes empty, and leaves one whose answers always are', async () => {
    const formatsOf = async (isEmpty: (format: unknown, count: number) => boolean) => {
      const server = await startTinyServer(({ body }, count) =>
        isEmpty(formatOf(body), count) ? says(null) : good,
      );
      const model = modelAt(server.baseUrl);
      const formats: unknown[] = [];
      for (let ask = 0; ask < 12; ask++)
        formats.push((await model.chat(wordRequest, neverAborted)).response_format);
      return new Set(formats);
    };
    expect(await formatsOf((_, count) => count % 5 < 4)).toEqual(new Set(['openai_schema']));
    expect((await formatsOf((format) => format === 'openai_schema')).size).toBe(2);
  });

  test('is not undone by later answers that are no JSON', async () => {
    const server = await startTinyServer((_, count) => (count === 0 ? good : says('{"word')));
    const model = modelAt(server.baseUrl);
    for (let ask = 0; ask < 5; ask++) {
      expect((await model.chat(wordRequest, neverAborted)).response_format).toBe('openai_schema');
    }
  });

  test('a request that is wrong in every format is rejected, and teaches nothing', async () => {
    const server = await startTinyServer((_, count) => (count < 4 ? rejects(400, 'bad temperature') : good));
    const model = modelAt(server.baseUrl);
    expect((await failureOfCall(model.chat(wordRequest, neverAborted))).cause).toBe('endpoint_rejected');
    expect((await model.chat(wordRequest, neverAborted)).response_format).toBe('openai_schema');
  });

  test('is left out where the configuration says the format', async () => {
    const { baseUrl, requests } = await serverThatTakes('text', rejects(400, 'response_format'));
    const model = modelAt(baseUrl, { structured_answers: 'json_object' });
    expect((await failureOfCall(model.chat(wordRequest, neverAborted))).cause).toBe('endpoint_rejected');
    expect(requests).toHaveLength(1);
  });

  test('a closed schema is asked for strictly, an open one is not', async () => {
    const server = await startTinyServer(() => good);
    const model = modelAt(server.baseUrl);
    const open = { name: 'word', schema: { type: 'object', properties: { word: { type: 'string' } } } };
    await model.chat(wordRequest, neverAborted);
    await model.chat({ ...wordRequest, response_schema: open }, neverAborted);
    const strict = server.requests.map(
      ({ body }) => (body.response_format as { json_schema: JsonObject }).json_schema.strict,
    );
    expect(strict).toEqual([true, false]);
  });
});

describe('tool calls', () => {
  test('one tool is asked for by name, several as required', async () => {
    const server = await startTinyServer(() => says('no'));
    const model = modelAt(server.baseUrl);
    const [tool] = toolRequest.tools!;
    await model.chat(toolRequest, neverAborted);
    await model.chat({ ...toolRequest, tools: [tool!, { ...tool!, name: 'search' }] }, neverAborted);
    expect(server.requests.map(({ body }) => body.tool_choice)).toEqual([
      { type: 'function', function: { name: 'code' } },
      'required',
    ]);
  });

  test('an endpoint that rejects tools is asked for structured calls', async () => {
    const server = await startTinyServer(() => rejects(400, 'this model does not support tools'));
    const model = modelAt(server.baseUrl);
    expect(model.toolCallStyle).toBe('native');
    await failureOfCall(model.chat(toolRequest, neverAborted));
    expect(model.toolCallStyle).toBe('structured');
  });

  test('an endpoint whose tool calls have worked stays with them', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'code', arguments: '{}' } };
    const server = await startTinyServer(() => says(null, { tool_calls: [call] }));
    const model = modelAt(server.baseUrl);
    await model.chat(toolRequest, neverAborted);
    model.preferStructuredToolCalls();
    expect(model.toolCallStyle).toBe('native');
  });

  test('and so does one that is configured', () => {
    const native = modelAt('http://127.0.0.1:9/v1', { tool_calls: 'native' });
    native.preferStructuredToolCalls();
    expect(native.toolCallStyle).toBe('native');
    expect(modelAt('http://127.0.0.1:9/v1', { tool_calls: 'structured' }).toolCallStyle).toBe('structured');
  });
});

test.each([400, 422])(
  'a server that refuses max_tokens by %i is asked by the newer name from then on',
  async (status) => {
    const refusal = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    const { baseUrl, requests } = await startTinyServer(({ body }) =>
      body.max_tokens === undefined ? says('yes') : rejects(status, refusal),
    );
    const model = modelAt(baseUrl);
    const request = { ...plainRequest, sampling: { max_tokens: 7 } };
    for (const _ of [1, 2]) expect(await model.chat(request, neverAborted)).toMatchObject({ content: 'yes' });
    const limits = requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens]);
    expect(limits).toEqual([
      [7, undefined],
      [undefined, 7],
      [undefined, 7],
    ]);
  },
);

test('a server that refuses the newer name too is not asked again and again', async () => {
  const { baseUrl, requests } = await startTinyServer(() =>
    rejects(400, 'max_completion_tokens is too large'),
  );
  const request = { ...plainRequest, sampling: { max_tokens: 7 } };
  await failureOfCall(modelAt(baseUrl).chat(request, neverAborted));
  expect(requests.length).toBe(2);
});
