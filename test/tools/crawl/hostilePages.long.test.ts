import type { RequestListener, ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isFull } from '../../support/cases.ts';
import { closesWithTest } from '../../support/closesWithTest.ts';
import { openPages } from '../support/openPages.ts';
import { crawlOne, page } from './support/crawlOne.ts';

const refusal = (reason: string) => ({ ok: false, reason });

describe('a page of 50 MB', () => {
  test('of text is read to the limit, and not sent further', async () => {
    let sent = 0;
    const chunk = Buffer.from('A line of text.\n'.repeat(4096));
    const answer = await crawlOne((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      endlessly(response, () => {
        sent += chunk.length;
        return sent < 50_000_000 ? chunk : undefined;
      });
    });
    expect(answer).toMatchObject({
      ok: true,
      cut: true,
      text: expect.stringMatching(
        /^A line of text\.\n[\s\S]*\[The page is longer; this is its beginning\.\]$/,
      ),
    });
    expect(sent).toBeLessThan(20_000_000);
  });

  test('of HTML shows its beginning', async () => {
    const paragraph = `<p>${'More words of it. '.repeat(100)}</p>`;
    const html = `<title>T</title><body><p>The first words.</p>${paragraph.repeat(isFull ? 28_000 : 2_800)}`;
    expect(html.length).toBeGreaterThan(isFull ? 50_000_000 : 5_000_000);
    for (const maxBytes of [500_000, 60_000_000]) {
      expect(await crawlOne(page(html, 'text/html'), { maxBytes })).toMatchObject({
        ok: true,
        cut: true,
        text: expect.stringMatching(
          /The first words\.[\s\S]*\[The page is longer; this is its beginning\.\]$/,
        ),
      });
    }
  });
});

/** Writes for as long as there is something to write and somebody who reads. */
function endlessly(response: ServerResponse, next: () => Uint8Array | undefined): void {
  for (let chunk = next(); chunk; chunk = next()) {
    if (response.destroyed) return;
    if (!response.write(chunk)) return void response.once('drain', () => endlessly(response, next));
  }
  response.end();
}

test('headers are read up to 64 KiB', async () => {
  const read = (chars: number) => crawlOne(page('a text', 'text/plain', { 'x-long': 'x'.repeat(chars) }));
  expect(await read(60_000)).toMatchObject({ ok: true, text: 'a text' });
  expect(await read(70_000)).toMatchObject(refusal("its answer's headers are too large"));
});

describe('a server that does not end', () => {
  test('an endless stream is read to the limit', async () => {
    let isOver = false;
    const answer = await crawlOne(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.on('close', () => {
          isOver = true;
        });
        endlessly(response, () => Buffer.from('<p>and so on</p>'));
      },
      { maxBytes: 100_000 },
    );
    expect(answer).toMatchObject({ ok: true, cut: true, text: expect.stringContaining('and so on') });
    await expect.poll(() => isOver).toBe(true);
  });

  test('a slow drip is ended by the time in total, silence by the time without progress', async () => {
    const drip: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    };
    expect(await crawlOne(drip, { timeoutMs: 300 })).toMatchObject(refusal('timed out'));
    const silence: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('a beginning');
    };
    expect(await crawlOne(silence, { idleTimeoutMs: 1000 })).toMatchObject(
      refusal('timed out: the server stopped sending'),
    );
    expect(await crawlOne(() => {}, { idleTimeoutMs: 100 })).toMatchObject(
      refusal('timed out: the server does not answer'),
    );
  });

  test('headers without end are refused', async () => {
    const server = createServer((socket: Socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write(`x-${Math.random()}: ${'y'.repeat(1000)}\r\n`));
        socket.once('drain', more);
      };
      more();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    const pages = openPages({ allowedHosts: [{ kind: 'host', host: '127.0.0.1', port }], robots: 'ignore' });
    closesWithTest(server);
    const [answer] = await pages.read([`http://127.0.0.1:${port}/`], new AbortController().signal);
    expect(answer).toMatchObject(refusal("its answer's headers are too large"));
  });
});

describe('broken HTML', () => {
  test.each([
    ['unclosed', '<p>one<p>two<b>three', /one[\s\S]*two[\s\S]*three/],
    ['crossed', '<b><i>bold</b> both</i> <table><p>in</table> out', /bold[\s\S]*both[\s\S]*in[\s\S]*out/],
    ['cut within a tag', '<p>text</p><a href="http://a.example/', /text/],
    ['no HTML', 'only words & <<>> signs', /only words/],
    ['zeros', '<p>zero\0s</p>', /zero/],
    ['two bodies', '<body><p>first</p></body><body><p>second</p></body>', /first/],
  ])('(%s) gives its text', async (_name, html, text) => {
    expect(await crawlOne(page(html, 'text/html'))).toMatchObject({
      ok: true,
      text: expect.stringMatching(text),
    });
  });
});
