import { expect, test } from 'vitest';
import { groundingText, unsupportedText } from '../../schemas/groundingText.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import { ledgerFacts, trajectoryFacts } from '../../viewer/index/recordFacts.ts';
import { trajectoryOf } from '../stages/filter/support/groundedRows.ts';

const grounding = { finding: 'ungrounded', looks: 3, empty_looks: 1 } as const;
const unsupported_thought = { values: 3, examples: ['1928', 'Rita Kern'] };

test('records are told apart by their grounding, kept or dropped', () => {
  const row = trajectoryOf({ answers: ['a'], answer: 'a', looks: [] });
  const measures = { near_redundant_tool_inputs: 0, steps: 2, chars: 9, grounding, unsupported_thought };
  const { facets } = trajectoryFacts('filter', { ...row, measures });
  expect(facets).toMatchObject({ grounding: 'ungrounded', mark: ['unsupported thought'] });
  const entry = {
    kind: 'drop',
    reason: 'ungrounded',
    evidence: { measures: { grounding } },
  } as unknown as LedgerEntry;
  expect(ledgerFacts('filter', entry).facets).toMatchObject({ state: 'dropped', grounding: 'ungrounded' });
});

test('a record says what its answer and thoughts rest on', () => {
  expect(groundingText(grounding)).toContain('1 of 3 looks');
  expect(groundingText({ ...grounding, finding: 'exempt', exempt_as: 'yes_no' })).toMatch(
    /^exempt: yes or no/,
  );
  expect(unsupportedText({ unsupported_thought })).toBe('1928, Rita Kern and 1 more');
  expect(unsupportedText({})).toBeUndefined();
});
