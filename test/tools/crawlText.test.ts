import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pageUrls } from '../../tools/crawlPage/createCrawlPageTool.ts';
import { htmlToText } from '../../tools/crawlPage/htmlToText.ts';

describe('URLs as models write them', () => {
  test.each<[string[], string[]]>([
    [['http://a.example/x'], ['http://a.example/x']],
    [[' [A [b]](http://a.example/x_(y)) '], ['http://a.example/x_(y)']],
    [
      ['http://a.example | [B](https://b.example/)', 'http://c.example'],
      ['http://a.example', 'https://b.example/', 'http://c.example'],
    ],
  ])('%j', (written, urls) => {
    expect(pageUrls(written)).toEqual({ ok: true, urls });
  });

  test.each([
    [[' | '], 'No valid URL found'],
    [['ftp://a.example'], 'not an http or https URL'],
    [['javascript:alert(1)'], 'not an http or https URL'],
    [['kessa'], 'not a URL'],
    [['http:a.example'], 'does not begin with'],
    [['http://a b.example/'], 'not a URL'],
    [['http://user:pass@a.example/'], 'user name or password'],
  ])('%j is refused with a reason', (written, reason) => {
    expect(pageUrls(written)).toMatchObject({ ok: false, error: expect.stringContaining(reason) });
  });

  test('brackets without end take no time', () => {
    expect(pageUrls([`[${'](a'.repeat(110_000)}`])).toMatchObject({ ok: false });
  });

  test('what is accepted is always http(s), without spaces and bars', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string())), (written) => {
        const found = pageUrls(written);
        if (found.ok) for (const url of found.urls) expect(url).toMatch(/^https?:\/\/[^\s|]+$/);
      }),
    );
  });
});

describe('the text of HTML', () => {
  const at = new URL('http://a.example/dir/page');

  test('follows links from where the page says its base is', () => {
    const html = (base: string) =>
      `<html><head><base href="${base}"></head><body><p>See <a href="kessa">it</a>.</p></body></html>`;
    expect(htmlToText(html('/docs/'), at)).toContain('(http://a.example/docs/kessa)');
    expect(htmlToText(html('https://b.example/'), at)).toContain('(https://b.example/kessa)');
    expect(htmlToText(html('data:text/html,'), at)).toContain('(http://a.example/dir/kessa)');
  });

  test('keeps tables, drops scripts, images and links that are none', () => {
    const html = `<html><head><title>T</title><style>s{}</style></head><body><h2>Facts</h2>
      <table><tr><th>Area</th><td>12 km²</td></tr></table><img src=x alt=picture>
      <p><a href="javascript:x">no</a> <a href="other">yes</a></p><script>evil()</script></body></html>`;
    const text = htmlToText(html, at);
    expect(text).toContain('# T');
    expect(text).toContain('Area | 12 km²');
    expect(text).toContain('no [yes](http://a.example/dir/other)');
    expect(text).not.toMatch(/evil|picture|javascript|s\{\}/);
  });

  test.each([
    '',
    '<',
    '<html>',
    '<p>x',
    '</body>',
    '<table><tr>',
    '<!--',
    '<html><title>t</title><p>x',
    '\0',
  ])('of %j does not throw', (html) => {
    expect(typeof htmlToText(html, at)).toBe('string');
  });
});
