import fc from 'fast-check';
import { expect, test } from 'vitest';
import { facetNames, figureNames } from '../../viewer/index/fields.ts';
import { completions, filterLine, parseFilterLine, withoutOpenValue } from '../../viewer/pages/filter.ts';

test.each([
  ['verdict:wrong tokens>4000 tool:crawl_page', 'verdict=wrong&tool=crawl_page&tokens=4001-'],
  ['tokens>=100 tokens<200 castle', 'tokens=100-199&q=castle'],
  ['tokens=7', 'tokens=7-7'],
  ['cost_usd>0.05', 'cost_usd=0.05-'],
  ['model:paris "in this order" -tower', 'q=model:paris "in this order" -tower'],
  ['judge:"exact_match: answer correct" review:(none)', 'judge=exact_match: answer correct&review=(none)'],
  ['verdict:', ''],
  ['unknown:value a>b', 'q=unknown:value a>b'],
])('%s', (line, filter) => {
  expect(decodeURIComponent(`${parseFilterLine(line)}`.replaceAll('+', ' '))).toBe(filter);
});

test('a filter is typed as it is read', () => {
  const facet = fc.tuple(fc.constantFrom(...facetNames), fc.string({ unit: 'grapheme', minLength: 1 }));
  const range = fc
    .tuple(fc.constantFrom(...figureNames), fc.option(fc.nat()), fc.option(fc.nat()))
    .filter(([, least, most]) => least !== null || most !== null)
    .map(([name, least, most]) => [name, `${least ?? ''}-${most ?? ''}`] as const);
  fc.assert(
    fc.property(fc.array(facet), fc.uniqueArray(range, { selector: ([name]) => name }), (facets, ranges) => {
      const filter = [...facets, ...ranges, ['q', 'old "in this order"']] as [string, string][];
      expect([...parseFilterLine(filterLine(filter))]).toEqual(filter);
    }),
  );
});

test('a line is completed by names, then by the values that there are', () => {
  const values = { verdict: ['right', 'wrong'].map((value) => ({ value, count: 1 })) };
  expect(completions('castle verd', values)).toEqual(['castle verdict:']);
  expect(completions('castle verdict:', values)).toEqual(['castle verdict:right', 'castle verdict:wrong']);
  expect(completions('verdict:wrong', values)).toEqual([]);
  expect(completions('tok', values)).toEqual(['tokens>']);
  expect(withoutOpenValue('castle verdict:wr', values)).toBe('castle ');
  expect(withoutOpenValue('castle verdict:wrong', values)).toBe('castle verdict:wrong');
});
