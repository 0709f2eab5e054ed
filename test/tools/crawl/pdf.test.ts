import type { RequestListener } from 'node:http';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makePdf } from '../support/makePdf.ts';
import { crawlOne, page, politeCrawler } from './support/crawlOne.ts';

const refusal = (reason: string) => ({ ok: false, reason });

describe('a PDF', () => {
  test('is shown as its text, page by page', async () => {
    const pdf = makePdf(['Kessa is an island (12 km\u00b2).', '', 'It has two caf\u00e9s.']);
    expect(await crawlOne(page(pdf, 'application/pdf'))).toMatchObject({
      ok: true,
      text: 'Kessa is an island (12 km²).\n\nIt has two cafés.',
      content_type: 'application/pdf',
      cut: false,
    });
    expect(await crawlOne(page(pdf, 'application/octet-stream'))).toMatchObject({ ok: true });
  });

  test('has only so many pages and characters', async () => {
    const pdf = makePdf(Array.from({ length: 103 }, (_, index) => `Page ${index + 1}.`));
    const read = await crawlOne(page(pdf, 'application/pdf'));
    expect(read).toMatchObject({
      cut: true,
      text: expect.stringMatching(/Page 100\.\n\[The page is longer/),
    });
    const short = await crawlOne(page(pdf, 'application/pdf'), { maxChars: 10 });
    expect(short).toMatchObject({ text: expect.stringMatching(/^Page 1\.\n\nP\n\[The page is longer/) });
  });

  test('that is locked, broken, too long or empty is said to be', async () => {
    const pdf = makePdf(['text']);
    expect(await crawlOne(page(makePdf(['text'], { encrypted: true }), 'application/pdf'))).toMatchObject(
      refusal('the PDF is encrypted'),
    );
    expect(await crawlOne(page('%PDF-1.7 nothing', 'application/pdf'))).toMatchObject(
      refusal('the PDF is broken'),
    );
    expect(await crawlOne(page(pdf, 'application/pdf'), { maxBytes: 200 })).toMatchObject(
      refusal('the PDF is too large'),
    );
    expect(await crawlOne(page(makePdf(['']), 'application/pdf'))).toMatchObject(
      refusal('it has no readable text'),
    );
  });

  test('that unpacks to more than memory may hold is given up, and the next one is read', async () => {
    const bytes = deflateSync(deflateSync(Buffer.alloc(700_000_000), { level: 1 }));
    const bomb = makePdf(['x'], { content: { filters: '[/FlateDecode /FlateDecode]', bytes } });
    expect(bomb.length).toBeLessThan(200_000);
    const listener: RequestListener = (request, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/pdf' })
        .end(request.url === '/bomb' ? bomb : makePdf(['fine']));
    const { read } = await politeCrawler(listener, { robots: 'ignore' });
    const [first] = await read('/bomb');
    const [next] = await read('/fine');
    expect(first).toMatchObject(refusal('the PDF is too complex'));
    expect(next).toMatchObject({ ok: true, text: 'fine' });
  });
});
