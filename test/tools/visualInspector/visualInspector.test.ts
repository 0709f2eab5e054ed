import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { visualInspectorConfigSchema } from '../../../schemas/config/tools/visualInspector.ts';
import { createAllowedHosts } from '../../../tools/fetch/allowedHosts.ts';
import { createGuardedDispatcher } from '../../../tools/fetch/createGuardedDispatcher.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { failureOfCall } from '../../teachers/support/tinyModel.ts';
import { startHttpServer } from '../support/startHttpServer.ts';
import { openInspector, siteHost } from './support/openInspector.ts';
import { sampleImages } from './support/sampleImages.ts';

const never = new AbortController().signal;

function imageFolder(files: Readonly<Record<string, Buffer>>) {
  const path = temporaryFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(path, name), bytes);
  return { path, maxBytes: 10_000 };
}

describe('a local image', () => {
  test.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
    ['gif_animated', 'image/gif'],
    ['bmp', 'image/bmp'],
    ['webp_lossy', 'image/webp'],
  ] as const)('of kind %s reaches the model byte for byte, whatever it is called', async (name, type) => {
    const folder = imageFolder({ 'picture.txt': sampleImages[name] });
    const { see, requests } = await openInspector({ folder });
    expect(await see('picture.txt', { question: 'What colour is the box?' })).toBe('a red box');
    expect(requests).toMatchObject([{ type, authorization: 'Bearer vision-secret' }]);
    expect(requests[0]!.image.equals(sampleImages[name])).toBe(true);
    expect(requests[0]!.text).toMatch(/answer the question.*\n\nQuestion: What colour is the box\?$/s);
    expect(requests[0]!.body).toMatchObject({ model: 'eyes' });
  });

  test('is looked at as the configuration says', async () => {
    const folder = imageFolder({ a: sampleImages.png });
    const model_config = { sampling: { max_tokens: 77, temperature: 0 } };
    const { see, requests } = await openInspector({ folder, model_config });
    await see('a');
    expect(requests[0]!.body).toMatchObject({ max_tokens: 77, temperature: 0 });
  });

  test('is kept by its hash; the words are kept whole and shown cut', async () => {
    const words = `${'é'.repeat(499)}😀 and more`;
    const { tool } = await openInspector({
      reply: () => `\n${words}\n`,
      folder: imageFolder({ a: sampleImages.png }),
    });
    const { observation, raw } = await tool.call({ file_path: 'a' }, never);
    expect(observation).toBe(
      `${'é'.repeat(499)}\ufffd\n[cut off: the answer has ${words.length} characters]`,
    );
    expect(raw).toEqual({
      file_path: 'a',
      sha256: createHash('sha256').update(sampleImages.png).digest('hex'),
      bytes: sampleImages.png.length,
      format: 'png',
      width: 20,
      height: 14,
      frames: 1,
      answer: words,
    });
  });

  test.each([
    [
      'is one byte too large',
      Buffer.concat([sampleImages.png, Buffer.alloc(9_902)]),
      'it is larger than 10000 bytes',
    ],
    ['is far too large', Buffer.alloc(200_000, 1), 'it is larger than 10000 bytes'],
    ['is empty', Buffer.alloc(0), 'it is empty'],
    [
      'is a drawing of text',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'it is an SVG drawing; these are taken: png, jpeg (jpg), gif, webp, bmp',
    ],
    [
      'is a program',
      Buffer.from('#!/bin/sh\n'),
      'it is not an image; these are taken: png, jpeg (jpg), gif, webp, bmp',
    ],
  ])('that %s is not shown', async (_, bytes, reason) => {
    const { see, requests } = await openInspector({ folder: imageFolder({ 'a.png': bytes }) });
    expect(await see('a.png')).toBe(`[Image not accessible: ${reason}]`);
    expect(requests).toHaveLength(0);
  });
});

test('however many images are asked for, few are held at once, and all are seen', async () => {
  let [held, most] = [0, 0];
  const several = Promise.withResolvers<void>();
  const site = await startHttpServer(async (request, response) => {
    held += 1;
    most = Math.max(most, held);
    if (most > 1) several.resolve();
    await several.promise;
    response.end(Buffer.concat([sampleImages.png, Buffer.alloc(9_000, request.url!)]));
  });
  const reply = () => {
    held -= 1;
    return 'a red box';
  };
  const { see, requests } = await openInspector({ reply, site });
  const seen = Array.from({ length: 40 }, (_, n) => see(`http://${siteHost}/${n}.png`));
  expect(new Set(await Promise.all(seen))).toEqual(new Set(['a red box']));
  expect(requests).toHaveLength(40);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(32);
});

describe('an image of the web', () => {
  test('is fetched by us, and reaches the model as bytes', async () => {
    const site = await startHttpServer((_, response) =>
      response.setHeader('content-type', 'text/plain').end(sampleImages.webp_lossless),
    );
    const { see, requests } = await openInspector({ site });
    expect(await see(`http://${siteHost}/box.webp?size=1`)).toBe('a red box');
    expect(requests[0]!.type).toBe('image/webp');
    expect(requests[0]!.image.equals(sampleImages.webp_lossless)).toBe(true);
  });

  test.each([
    ['too large', 200, Buffer.alloc(10_001, 1), /larger than 10000 bytes/],
    ['a page', 200, Buffer.from('<!doctype html><title>No</title>'), /it is not an image/],
    ['missing', 404, sampleImages.png, /404/],
  ])('that is %s is not shown', async (_, status, bytes, reason) => {
    const site = await startHttpServer((_request, response) =>
      response.writeHead(status, { 'content-type': 'image/png' }).end(bytes),
    );
    const { see, requests } = await openInspector({ site });
    expect(await see(`http://${siteHost}/a.png`)).toMatch(reason);
    expect(requests).toHaveLength(0);
  });

  test('is not fetched from this machine, neither at once nor by a redirect', async () => {
    const inner = await startHttpServer((_, response) => response.end(sampleImages.png));
    const outer = await startHttpServer((_, response) =>
      response.writeHead(302, { location: `${inner.baseUrl}/a.png` }).end(),
    );
    const { see, requests } = await openInspector({ site: outer });
    const { port } = inner;
    const addresses = [
      `${inner.baseUrl}/a.png`,
      `http://localhost:${port}/a.png`,
      `http://[::1]:${port}/a.png`,
      `http://[::ffff:127.0.0.1]:${port}/a.png`,
      `http://2130706433:${port}/a.png`,
      `http://0x7f.1:${port}/a.png`,
      `http://0177.0.0.1:${port}/a.png`,
      `http://0.0.0.0:${port}/a.png`,
      `HTTP:127.0.0.1:${port}/a.png`,
      'http://169.254.169.254/latest/meta-data',
      `http://${siteHost}/redirect`,
    ];
    for (const file_path of addresses)
      expect(await see(file_path), file_path).toMatch(/^\[Image not accessible: /);
    expect(inner.connections()).toBe(0);
    expect(requests).toHaveLength(0);
  });

  test('of another port of our own host is the business of the agent', async () => {
    const site = await startHttpServer((_, response) => response.end());
    await site.close();
    const loopback = createAllowedHosts([{ kind: 'network', network: '127.0.0.0', prefix: 8 }]);
    const toLoopback = async () => [{ address: '127.0.0.1', family: 4 }];
    const dispatcher = createGuardedDispatcher(new Map(), toLoopback, loopback);
    const limits = { timeoutMs: 5_000, maxBytes: 10_000, maxRetries: 0 };
    const web = { dispatcher, limits, ownHosts: new Set([siteHost]) };
    const { see } = await openInspector({ web });
    expect(await see(`http://${siteHost}:${site.port}/a.png`)).toBe(
      '[Image not accessible: connection failed]',
    );
  });

  test('of a server of our own that fails is a failure of the tool', async () => {
    const site = await startHttpServer((_, response) => response.writeHead(500).end());
    const { see } = await openInspector({ site });
    expect(await failureOfCall(see(`http://${siteHost}/a.png`))).toMatchObject({
      cause: 'tool_unavailable',
      message: expect.stringContaining(siteHost),
    });
  });
});

describe('an endpoint that fails is the failure, with its cause', () => {
  test.each([
    [500, 'endpoint_error'],
    [401, 'endpoint_rejected'],
  ])('%i: %s', async (status, cause) => {
    const { see } = await openInspector({
      reply: () => ({ status }),
      folder: imageFolder({ a: sampleImages.png }),
    });
    const failure = await failureOfCall(see('a'));
    expect(failure.cause).toBe(cause);
    expect(JSON.stringify(failure)).not.toMatch(/vision-secret|base64/);
  });

  test('an answer without words: malformed_answer', async () => {
    const { see } = await openInspector({
      reply: () => '  \n',
      folder: imageFolder({ a: sampleImages.png }),
    });
    expect((await failureOfCall(see('a'))).cause).toBe('malformed_answer');
  });
});

test.each([
  ['nothing', {}, /file_path: /],
  ['no path', { file_path: '  ' }, /file_path: is empty/],
  ['a number', { file_path: 1 }, /file_path: /],
  ['a path without end', { file_path: 'x'.repeat(4_097) }, /file_path: /],
  ['a question without end', { file_path: 'a', question: 'x'.repeat(8_001) }, /question: /],
  ['what it does not know', { file_path: 'a', url: 'x' }, /there is no url/],
])('%s is no input, and the agent is told', async (_, input, error) => {
  const { tool } = await openInspector();
  expect(tool.parseInput(input)).toEqual({ ok: false, error: expect.stringMatching(error) });
});

test('a configuration without a folder and without web addresses is refused', () => {
  const parse = (more: object) =>
    visualInspectorConfigSchema.safeParse({ model: { model: 'eyes' }, ...more });
  expect(parse({ allow_urls: false }).error?.issues).toMatchObject([
    { path: ['folder'], message: expect.stringContaining('expected a folder of images') },
  ]);
  expect(parse({}).success).toBe(true);
  expect(parse({ allow_urls: false, folder: 'images' }).success).toBe(true);
});
