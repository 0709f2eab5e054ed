import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTextLinter, type TextLinter } from '../../output/lint/createTextLinter.ts';
import { fixText } from '../../output/lint/fix/fixText.ts';
import { openMaskMarker } from '../../output/lint/mask/maskMarker.ts';
import { lintRules } from '../../output/lint/rules/ruleTable.ts';
import { serializeBlocks } from '../../schemas/coa/layout.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import { builtinProfile, builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { cases } from '../support/cases.ts';
import { blocksArbitrary } from '../support/trajectoryArbitrary.ts';
import { readForkRows } from './afmFork.ts';
import { mutationsOf, spoilerText } from './spoiltText.ts';

const profiles = Object.values(builtinProfiles);
const mhqa = builtinProfile('mhqa')!;
let linter: TextLinter;

beforeAll(async () => {
  linter = createTextLinter(await openMaskMarker());
});

/** What must not change: everything but white space, marks at the start and the normal form. */
const meaning = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/^\uFEFF+/, '')
    .replace(/\s+/g, '');

const anyText = fc.oneof(
  mutationsOf(readForkRows().map((row) => row.output)),
  spoilerText,
  fc.string({ unit: 'binary' }),
);

/** The text with a space between a tag and marks of which one would compose with its `>`. */
function withTagsKept(text: string): string {
  return text.replace(/(<\/?[a-z][a-z0-9_]*>)(?=([^\0-\x7f]+))/g, (tag, _, behind: string) =>
    (tag + behind).normalize('NFC').startsWith(tag) ? tag : `${tag} `,
  );
}

describe('fixing', () => {
  test('leaves a fixed text as it is, and the rules of characters silent', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.constantFrom(...profiles), async (text, profile) => {
        const fixed = fixText(profile, text);
        expect(fixText(profile, fixed.text)).toEqual({ text: fixed.text, edits: [] });
        expect(fixed.edits.length > 0).toBe(fixed.text !== text);
        const rules = (await linter.lint(profile, fixed.text)).map((finding) => finding.rule);
        for (const silent of ['byte_order_mark', 'carriage_return', 'not_nfc', 'wrong_layout'] as const) {
          expect(rules).not.toContain(silent);
        }
      }),
      { numRuns: cases(3_000) },
    );
  });

  test('makes every fixable rule silent in rows whose tags are sound', async () => {
    const profile = fc.constantFrom(...profiles);
    const spacing = fc.constantFrom(
      '',
      ' ',
      '\n',
      '\n\n',
      '\n\n\n',
      '\r\n',
      '\r\n\r\n',
      '\n ',
      ' \n\n',
      '\t',
    );
    const spoilt = profile.chain((chosen) =>
      fc.tuple(fc.constant(chosen), blocksArbitrary(chosen), fc.array(spacing, { minLength: 1 })),
    );
    await fc.assert(
      fc.asyncProperty(spoilt, async ([chosen, blocks, gaps]) => {
        const text = blocks
          .map(({ tag, body }, at) => `<${tag}>${body}</${tag}>${gaps[at % gaps.length]}`)
          .join('');
        const fixed = fixText(chosen, `\uFEFF${text}`).text;
        expect(fixed).toBe(serializeBlocks(blocks));
        const fixable = (await linter.lint(chosen, fixed)).filter(({ rule }) => lintRules[rule].fixable);
        expect(fixable).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('changes white space, marks and normal form, and nothing else', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...profiles), (text, profile) => {
        const fixed = fixText(profile, text);
        expect(meaning(fixed.text)).toBe(meaning(withTagsKept(text)));
        const tags = (of: string) => parseBlocks(profile, of).blocks.map((block) => block.tag);
        expect(tags(fixed.text)).toEqual(tags(text));
      }),
      { numRuns: cases(3_000) },
    );
  });

  test('shows each edit with what stands around it', () => {
    const { text, edits } = fixText(mhqa, '<plan>p</plan><think>e\u0301\r\n</think>');
    expect(text).toBe('<plan>p</plan>\n<think>é\n</think>');
    expect(edits).toEqual([
      { offset: 23, before: '\r\n', after: '\n', lead: '<plan>p</plan><think>e\u0301', trail: '</think>' },
      { offset: 21, before: 'e\u0301', after: 'é', lead: '<plan>p</plan><think>', trail: '\n</think>' },
      { offset: 14, before: '', after: '\n', lead: '<plan>p</plan>', trail: '<think>é\n</think>' },
    ]);
  });

  test('does not join a tag with a mark that would change it', () => {
    expect(fixText(mhqa, '<think>\u0338a</think>').text).toBe('<think> \u0338a</think>');
    // The solidus goes before the accent, whatever their order in the text.
    expect(fixText(mhqa, '<think>\u0301\u0338a</think>').text).toBe('<think> \u0338\u0301a</think>');
    expect(fixText(mhqa, '<think>\u0301a\u0338e\u0301</think>').text).toBe('<think>\u0301a\u0338é</think>');
  });
});
