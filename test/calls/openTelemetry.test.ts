import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openTelemetry, wantsTelemetry } from '../../calls/openTelemetry.ts';
import { createProject } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { namesModules } from '../support/namedModules.ts';
import { startHttpServer } from '../tools/support/startHttpServer.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}
interface Span {
  readonly name: string;
  readonly attributes: readonly Attribute[];
}

/** A collector of OTLP over HTTP that keeps the spans it is sent. */
async function startCollector() {
  const spans: Span[] = [];
  const { baseUrl } = await startHttpServer(async (request, response) => {
    const { resourceSpans } = JSON.parse(await text(request));
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { spans, address: baseUrl };
}

test('a run sends a span a call, without a text of them, when the usual variables ask for it', async () => {
  const collector = await startCollector();
  const cwd = createProject();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.address };
  expect((await runCli(['run', '--until', 'rollout'], { cwd, env })).code).toBe(0);
  const chats = collector.spans.filter(({ name }) => name === 'chat scripted-teacher');
  expect(chats).toHaveLength(96);
  expect(collector.spans.filter(({ name }) => name === 'execute_tool wiki_search').length).toBeGreaterThan(
    10,
  );
  const attributes = Object.fromEntries(chats[0]!.attributes.map(({ key, value }) => [key, value]));
  expect(attributes).toMatchObject({
    'gen_ai.operation.name': { stringValue: 'chat' },
    'gen_ai.request.model': { stringValue: 'scripted-teacher' },
    'gen_ai.agent.name': { stringValue: expect.any(String) },
    'gen_ai.usage.input_tokens': { intValue: expect.any(Number) },
  });
  expect(JSON.stringify(collector.spans)).not.toMatch(/river|town/i);
});

test.each(['http://127.0.0.1:9', 'not an address'])(
  'a collector that is gone (%s) fails nothing, and it is said',
  async (address) => {
    const cwd = createProject();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: address };
    const { code, stderr } = await runCli(['run', '--until', 'rollout'], { cwd, env });
    expect([code, stderr]).toEqual([0, expect.stringContaining('not all spans reached the collector')]);
  },
);

test('the SDK is loaded only when traces are asked for', async () => {
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_SDK_DISABLED: 'true' };
  const none = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_TRACES_EXPORTER: 'none' };
  for (const env of [{}, off, none]) {
    expect(wantsTelemetry(env)).toBe(false);
    expect(await openTelemetry({ env, run: 'r', log: () => {} })).toBeUndefined();
  }
  const cwd = createProject();
  const through = ['env', `NODE_OPTIONS=${namesModules}`];
  const { stderr } = await runCli(['run', '--until', 'tasks'], { cwd: join(cwd), through });
  expect(stderr.includes('executeRun')).toBe(true);
  expect(stderr.includes('node_modules/@opentelemetry')).toBe(false);
});
