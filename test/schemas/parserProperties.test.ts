import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { type Block, serializeBlocks } from '../../schemas/coa/layout.ts';
import { type ParsedText, parseBlocks } from '../../schemas/coa/parse.ts';
import { lineColumns } from '../../schemas/coa/parseIssue.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { profileProblems } from '../../schemas/coa/profileProblems.ts';
import { builtinProfiles, mhqaProfile, webProfile } from '../../schemas/coa/profiles/builtin.ts';
import { cases, propertyRuns } from '../support/cases.ts';
import { profileArbitrary } from '../support/profileArbitrary.ts';
import { Choices, walkArbitrary, walkBlocks } from '../support/walkArbitrary.ts';

const profiles = Object.values(builtinProfiles);
const runs = { numRuns: propertyRuns };

/** Compares without `expect`'s machinery, which takes longer than what is tested. */
function sameBlocks(read: readonly Block[], written: readonly Block[]): boolean {
  return (
    read.length === written.length &&
    read.every(({ tag, origin, body }, at) => {
      const block = written[at]!;
      return tag === block.tag && origin === block.origin && body === block.body;
    })
  );
}

function roundTrips(profile: Profile, blocks: readonly Block[]): boolean {
  const text = serializeBlocks(blocks);
  const read = parseBlocks(profile, text);
  return read.issues.length === 0 && sameBlocks(read.blocks, blocks) && serializeBlocks(read.blocks) === text;
}

describe.each(profiles)('$name', (profile) => {
  test('parse(serialize(x)) = x and serialize(parse(t)) = t', () => {
    fc.assert(
      fc.property(walkArbitrary(profile), (blocks) => roundTrips(profile, blocks)),
      runs,
    );
  });

  test('every walk keeps the grammar', () => {
    fc.assert(
      fc.property(walkArbitrary(profile), (blocks) => checkGrammar(profile, blocks).length === 0),
      { numRuns: cases(1_000) },
    );
  });
});

describe('a profile of the user', () => {
  const walks = profileArbitrary.chain((profile) =>
    walkArbitrary(profile).map((blocks) => ({ profile, blocks })),
  );

  test('parse(serialize(x)) = x and serialize(parse(t)) = t, and the walk keeps the grammar', () => {
    fc.assert(
      fc.property(
        walks,
        ({ profile, blocks }) => roundTrips(profile, blocks) && checkGrammar(profile, blocks).length === 0,
      ),
      runs,
    );
  });

  test('that is put together well has no problems', () => {
    fc.assert(
      fc.property(profileArbitrary, (profile) => {
        expect(profileProblems(profile)).toEqual([]);
      }),
      { numRuns: cases(2_000) },
    );
  });
});

describe('any text whatever', () => {
  const shreds = fc
    .array(
      fc.oneof(
        fc.constantFrom('<think>', '</think>', '<plan>', '</plan>', '<web_search>', '</web_search>'),
        fc.constantFrom('<observation>', '</observation>', '\n', '\n\n', '<answer>', '</answer>', '<Think>'),
        fc.constantFrom(
          '</ plan>',
          '<search>',
          '\0',
          '\ud800',
          '\r\n',
          '\ufeff',
          'e\u0301',
          '<',
          '>',
          'words',
        ),
        fc.string({ unit: 'binary', maxLength: 6 }),
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join(''));

  test('is read without a throw; issues and blocks lie inside it, blocks in order; valid texts are written back', () => {
    fc.assert(
      fc.property(fc.constantFrom(...profiles), shreds, (profile, text) => {
        const parsed = parseBlocks(profile, text);
        checkGrammar(profile, parsed.blocks);
        return (
          liesInside(parsed, text) && (parsed.issues.length > 0 || serializeBlocks(parsed.blocks) === text)
        );
      }),
      runs,
    );
  });
});

function liesInside({ blocks, issues }: ParsedText, text: string): boolean {
  const placed = issues.every(
    ({ offset, message }) => offset >= 0 && offset <= text.length && message !== '',
  );
  let end = 0;
  const ordered = blocks.every((block) => {
    const inOrder = block.start >= end && text.slice(block.start, block.end).startsWith(`<${block.tag}>`);
    end = block.end;
    return inOrder;
  });
  return placed && ordered && end <= text.length;
}

describe('what a parser meets in the wild', () => {
  const around = (body: string) => `<think>${body}</think>\n<plan>p</plan>`;
  test.each([
    ['`<` in maths and HTML', 'if a<b and <b>c</b> then x</y'],
    ['NUL and lone surrogates', '\0 \ud800 \udc00'],
    ['text that is not in normal form', 'e\u0301 \u1100\u1161'],
    ['CRLF inside a block', 'a\r\nb'],
    ['tags of other profiles', '<wiki_search>x</wiki_search>'],
  ])('%s stays text', (_title, body) => {
    const { blocks, issues } = parseBlocks(webProfile, around(body));
    expect(issues).toEqual([]);
    expect(blocks[0]!.body).toBe(body);
  });

  test.each<[string, string, string, { line: number; column: number }]>([
    ['a byte order mark', `\ufeff${around('a')}`, 'wrong_layout', { line: 1, column: 1 }],
    ['a tag in the wrong case', '<think>a</think>\n<Plan>p</Plan>', 'wrong_case_tag', { line: 2, column: 1 }],
    ['a tag nobody knows', '<think>a</think>\n<search>p</search>', 'unknown_tag', { line: 2, column: 1 }],
    ['a missing end tag', '<think>a</think>\n\n<plan>p', 'missing_end_tag', { line: 3, column: 1 }],
    [
      'words between blocks',
      '<think>a</think>\n  So:\n<plan>p</plan>',
      'text_between_tags',
      { line: 2, column: 3 },
    ],
    ['overlapping tags', '<think>a<plan>b</think>c</plan>', 'nested_tag', { line: 1, column: 9 }],
  ])('%s is named with its place', (_title, text, code, place) => {
    const issue = parseBlocks(webProfile, text).issues.find((one) => one.code === code)!;
    expect(lineColumns(text, [issue.offset])).toEqual([place]);
  });
});

describe('large texts are read in one pass', () => {
  const manyTags = 100_000;

  test('a valid trajectory of 100,000 tags', () => {
    const blocks = walkBlocks(mhqaProfile, new Choices([11, 5, 3, 8, 1, 2, 13]), manyTags / 4);
    expect(blocks.length * 2).toBeGreaterThan(manyTags);
    expect(roundTrips(mhqaProfile, blocks)).toBe(true);
    expect(checkGrammar(mhqaProfile, blocks)).toEqual([]);
  });

  test.each([
    ['start tags alone', '<think>'],
    ['end tags alone', '</think>'],
    ['unknown tags', '<x>'],
    ['blocks in any order', '<answer>a</answer>\n'],
    ['observations of nothing', '<observation>\na\n</observation>\n\n'],
  ])('100,000 times %s', (_title, piece) => {
    const text = piece.repeat(manyTags);
    const parsed = parseBlocks(webProfile, text);
    expect(parsed.issues.length + checkGrammar(webProfile, parsed.blocks).length).toBeGreaterThan(0);
  });

  test.each([
    ['line feeds', '\n'],
    ['open brackets', '<'],
    ['fences of stdin', '\n```\n```sh\n'],
    ['open fences', '```py\n'],
    ['half a look-alike', 'observation '],
    ['half a grade', 'information_conflict '],
  ])('10 MB of %s in every kind of block', (_title, piece) => {
    const body = piece.repeat(10_000_000 / piece.length);
    for (const tag of ['think', 'reflection', 'double_check', 'crawl_page', 'code', 'visual_inspector']) {
      const text = `<${tag}>\n\`\`\`py\n${body}</${tag}>`;
      const { blocks } = parseBlocks(builtinProfiles.afm!, text);
      expect(blocks).toHaveLength(1);
      expect(checkGrammar(builtinProfiles.afm!, blocks)).not.toEqual([]);
    }
  });
});
