import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { median, mergedCounts, sumOfCounts } from '../../output/report/figures.ts';
import { binValues } from '../../output/report/histogram.ts';
import { escapeHtml, html } from '../../output/report/html.ts';
import { renderReport } from '../../output/report/renderReport.ts';
import { emptyReport, fullReport, hostileText } from './support/reportSample.ts';

const page = renderReport(fullReport);
const { document } = parseHTML(page);
const texts = (selector: string) =>
  [...document.querySelectorAll(selector)].map((node) => node.textContent ?? '');

describe('the page', () => {
  test('holds nothing that could act or be fetched, whatever the texts hold', () => {
    expect(document.querySelectorAll('script, img, link, iframe, object, embed, form, base').length).toBe(0);
    const attributes = [...document.querySelectorAll('*')].flatMap((node) => [...node.attributes]);
    const names = new Set(attributes.map((attribute) => attribute.name));
    expect([...names].filter((name) => /^on|^(src|href|action|style|srcdoc)$/.test(name))).toEqual([]);
    expect(page).not.toMatch(/url\(|@import/);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  test('shows hostile text as text, in the right segment', () => {
    const [observation] = texts('.segment.environment pre');
    expect(observation).toContain('</pre></div><script>alert(1)</script><img src=x onerror="alert(2)">');
    expect(texts('.kind pre').some((text) => text.includes('<script>alert(1)</script>'))).toBe(true);
    expect([...page].filter((character) => character < '\t' || character === '\u202e')).toEqual([]);
  });

  test('tells trained segments from others, each with its literal text', () => {
    const shown = [...document.querySelectorAll('.trajectory')][0]!;
    const kinds = [...shown.querySelectorAll('.segment')].map((node) =>
      node.className.replace('segment ', ''),
    );
    const { segments } = fullReport.samples[0]!.trajectory;
    expect(kinds).toEqual(['prompt', 'prompt', ...segments.map((segment) => segment.origin)]);
    const trained = [...shown.querySelectorAll('.segment.model pre')].map((node) => node.textContent);
    expect(trained).toEqual(segments.filter((s) => s.origin === 'model').map((s) => s.text));
  });

  test('says which words of the model the mask leaves out, weighs otherwise or cut off', () => {
    const [sample, ...others] = fullReport.samples;
    const weights = [0, 1, 0.5, 1, 0, 0];
    const masked = { ...fullReport, samples: [{ ...sample!, weights }, ...others] };
    const shown = parseHTML(renderReport(masked)).document.querySelector('.trajectory')!;
    const notes = [...shown.querySelectorAll('.segment small')].map((node) => node.textContent);
    expect(notes.slice(2)).toEqual([
      'not trained',
      'trained',
      'trained, weight 0.5',
      'trained',
      'not trained',
      'not trained',
      'cut off',
    ]);
    expect(shown.querySelectorAll('.segment.untrained').length).toBe(3);
  });

  test('cuts texts that would bury the rest, and says so', () => {
    expect(texts('.segment.environment pre').at(-1)).toMatch(/… 16,0\d\d more characters$/);
  });

  test('has the funnel with every reason', () => {
    expect(texts('.funnel tbody tr th')).toEqual(fullReport.funnel.map((row) => row.stage));
    expect(texts('.funnel .chip')).toEqual([
      'duplicate question 2',
      'malformed answer 2',
      'model refused 2',
      'wrong answer 5',
      'redundant tool input 2',
      'too few interactions 2',
      'invalid grammar 1',
    ]);
  });

  test('names planted flaws that did not end as they should', () => {
    expect(page).toContain('1 of 2 lines did not end as they should.');
    expect(texts('td .bad')).toEqual(['✗ wrong']);
  });

  test('tells how each tool was used', () => {
    const rows = texts('[aria-label="Calls by tool"] tbody tr');
    expect(rows).toEqual(['crawl_page1200%3840 ms12.4 s', 'web_search200100%0––']);
  });

  test('says how many requests were sent again, and why', () => {
    expect(texts('.retries')).toEqual([
      '21 requests were sent again: 19 endpoint refused, 2 endpoint rate limited.',
    ]);
  });

  test('says with what, how long and by which models, and leads into the viewer', () => {
    expect(texts('.figures').join()).toContain('worked for1 min');
    expect(texts('header .note')).toEqual(['Models: teacher-1']);
    expect(texts('pre[aria-label="All settings"]')[0]).toContain('"teacher-1"');
    const commands = texts('.kind .note');
    expect(commands).toContain("coa-distill view quickstart --rows 'stage=filter&reason=wrong_answer'");
    expect(texts('section > .note').join()).toContain('coa-distill view quickstart --open');
  });

  test('of a run that stopped before its dataset counts what is kept so far, and claims no rows', () => {
    const until = { ...fullReport, manifest: null, rows: [], funnel: fullReport.funnel.slice(0, -1) };
    const { stage, emitted } = until.funnel.at(-1)!;
    const names = [...parseHTML(renderReport(until)).document.querySelectorAll('.figures div')];
    const figures = names.map((node) => node.textContent);
    expect(figures.some((text) => text?.startsWith(`kept up to ${stage}${emitted}`))).toBe(true);
    expect(figures.join('\n')).not.toMatch(/rows kept|tokens|trained/);
  });

  test('sums up the cost of the roles', () => {
    expect(texts('tfoot tr')[0]).toBe('all roles6991,373,00054,400$1.99');
  });

  test('has equal bytes for equal data', () => {
    expect(renderReport(structuredClone(fullReport))).toBe(page);
  });
});

test('an empty run says so in every section and leaves out what can’t be', () => {
  const empty = parseHTML(renderReport(emptyReport)).document;
  const titles = [...empty.querySelectorAll('section')].map((node) => node.querySelector('h2')?.textContent);
  const emptied = ['Funnel', 'Rows', 'Cost', 'Drops and failures', 'Trajectories', 'Dataset'];
  expect(titles).toEqual([...emptied, 'Settings']);
  expect(empty.querySelectorAll('.empty').length).toBe(emptied.length);
  expect(empty.body.textContent).not.toMatch(/NaN|undefined|Infinity/);
});

describe('escaping', () => {
  test('any text stays one text, in an element and in an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { document } = parseHTML(
          `<html><body>${html`<p title="${text}">${text}</p>`.markup}</body></html>`,
        );
        expect(document.querySelectorAll('body *').length).toBe(1);
        expect(document.querySelector('p')?.getAttribute('title')).toBe(
          document.querySelector('p')?.textContent,
        );
      }),
    );
  });

  test('controls are shown by their pictures, what turns text around and lone surrogates by U+FFFD', () => {
    expect(escapeHtml('\u0000\u001b\t\n\u202e\ud800')).toBe('␀␛\t\n\ufffd\ufffd');
    expect(escapeHtml(hostileText)).not.toMatch(/[<>"']/);
  });
});

const countsOf = (values: readonly number[]) =>
  new Map([...Map.groupBy(values, (value) => value)].map(([value, same]) => [value, same.length]));

test('the median of counted values is that of the sorted list, and counts merge and add up', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 30 })), fc.array(fc.nat({ max: 30 })), (values, more) => {
      const all = [...values, ...more].sort((a, b) => a - b);
      const merged = mergedCounts([countsOf(values), countsOf(more)]);
      expect(median(merged)).toBe(all[Math.floor((all.length - 1) / 2)] ?? 0);
      expect(sumOfCounts(merged)).toBe(all.reduce((sum, value) => sum + value, 0));
    }),
  );
});

test('every value falls into one of few bins, which lie side by side', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2 ** 31 }), { minLength: 1 }), (values) => {
      const bins = binValues(countsOf(values));
      expect(bins.length).toBeLessThanOrEqual(16);
      for (const [at, bin] of bins.entries()) {
        expect(bin.from).toBe(bins[at - 1]?.to ?? bin.from);
        expect(bin.count).toBe(values.filter((value) => value >= bin.from && value < bin.to).length);
      }
      expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(values.length);
    }),
  );
});
