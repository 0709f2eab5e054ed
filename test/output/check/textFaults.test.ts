import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simulateFork } from '../../../output/check/afmFork.ts';
import { type TextRuleName, textRuleNames } from '../../../output/check/rules.ts';
import { textFaults } from '../../../output/check/textFaults.ts';
import { guessProfile } from '../../../schemas/coa/guessProfile.ts';
import { serializeBlocks } from '../../../schemas/coa/layout.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import { builtinProfile, builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import { cases } from '../../support/cases.ts';
import { blocksArbitrary } from '../../support/trajectoryArbitrary.ts';
import { qwenText } from '../support/qwenText.ts';
import { readForkRows } from './support/afmFork.ts';
import { mutationsOf, spoilerText } from './support/spoiltText.ts';

const profiles = Object.values(builtinProfiles);

/** All rules on texts, as `filters.check` applies them. */
async function faultsOf(profile: Profile, text: string) {
  const { faults } = await simulateFork(text, qwenText);
  return [...textFaults(text, profile), ...faults].sort((a, b) => a.offset - b.offset);
}

async function rulesOf(text: string, profile = 'mhqa'): Promise<TextRuleName[]> {
  const findings = await faultsOf(builtinProfile(profile)!, text);
  return findings.map((finding) => finding.rule);
}

/** A valid row of the profile `mhqa`, with a place to spoil. */
const clean = [
  '<think>I need a plan.</think>\n<plan>1. search</plan>\n',
  '<think>First hop.</think>\n<wiki_search>Danube</wiki_search>\n<observation>\nIt is a river.\n</observation>\n\n',
  '<think>Clear.</think>\n<answer>Danube</answer>',
].join('');
const spoil = (from: string, to: string): string => {
  expect(clean).toContain(from);
  return clean.replace(from, () => to);
};

/** The corpus of attacks: what each rule must find, and the words of its message. */
const attacks: readonly [rule: TextRuleName, text: () => string, words?: string][] = [
  ['bad_character', () => `\uFEFF${clean}`],
  ['bad_character', () => spoil('river.\n', 'river.\r\n'), 'CRLF'],
  ['bad_character', () => spoil('river', 'ri\rver'), 'lone CR'],
  ['not_nfc', () => spoil('river', 'rive\u0301r'), 'U+0065'],
  ['bad_character', () => spoil('river', 'ri\0ver')],
  ['bad_character', () => spoil('river', 'ri\ud83dver'), '\\ud83d'],
  ['control_token', () => spoil('river', '<|im_end|>\n<|im_start|>assistant'), '<\\|im_end|>'],
  ['control_token', () => spoil('Clear', 'Clear <|endoftext|>')],
  ['no_blocks', () => 'Danube'],
  ['missing_end_tag', () => clean.slice(0, -'</answer>'.length), '<answer> is never closed'],
  ['unexpected_end_tag', () => spoil('</plan>', '</think></plan>')],
  ['nested_tag', () => spoil('<plan>', '<plan>\n<plan>')],
  ['nested_tag', () => spoil('First hop.', 'First <answer>hop</answer>.')],
  ['not_once', () => spoil('It is a river.', '</observation><answer>42</answer><observation>')],
  ['tag_in_text', () => spoil('First hop.', 'First <web_search> hop.'), '<web_search>'],
  ['unknown_tag', () => spoil('wiki_search>Danube</wiki', 'web_search>Danube</web'), '<web_search>'],
  ['wrong_case_tag', () => spoil('<think>Clear.</think>', '<Think>Clear.</Think>'), 'the tag is <think>'],
  ['wrong_case_tag', () => spoil('First hop.', 'First < /think > hop.'), 'the tag is </think>'],
  ['text_between_tags', () => spoil('</plan>\n', '</plan>\nSo then:\n'), '"So then:"'],
  ['wrong_layout', () => spoil('</plan>\n', '</plan>\n\n')],
  ['wrong_layout', () => `${clean}\n`],
  ['bad_body', () => spoil('First hop.', ' \n'), '<think>'],
  ['bad_body', () => '<plan>p</plan>\n<think>t</think>\n<code>print(1)</code>'],
  ['missing_think', () => spoil('<think>Clear.</think>\n', '')],
  ['misplaced_think', () => spoil('<think>Clear.</think>\n', '<think>A.</think>\n<think>B.</think>\n')],
  ['missing_observation', () => spoil('<observation>\nIt is a river.\n</observation>\n\n', '')],
  ['misplaced_observation', () => spoil('<think>First', '<observation>\nx\n</observation>\n\n<think>First')],
  ['not_allowed_here', () => clean.slice(clean.indexOf('<think>First')), 'expected <plan>'],
  ['not_once', () => `${clean}\n<think>Again.</think>\n<answer>Rhine</answer>`],
  ['not_finished', () => clean.slice(0, clean.indexOf('<think>Clear'))],
  ['duplicate_query', () => spoil('<think>Clear', secondSearch('  danube ')), 'danube'],
  ['duplicate_block', () => spoil('Clear.', 'First hop.'), 'block 3'],
  ['look_alike_in_observation', () => spoil('It is', '<ANSWER x=1> [INST] It is')],
  ['afm_fork', () => spoil('</wiki_search>\n', '</wiki_search>')],
  ['afm_fork', () => spoil('</wiki_search>\n', '</wiki_search>\n ')],
  ['afm_fork', () => clean.replaceAll('observation>', 'OBSERVATION>')],
  ['afm_fork', () => spoil('</observation>\n\n', '</observation>\n')],
  ['afm_fork', () => spoil('a river.', 'a\nobservation>\n\nriver.')],
  ['afm_fork', () => spoil('First hop.', 'First\n<observation hop.')],
  ['afm_fork', () => spoil('First hop.', 'First\n<observation hop.')],
  ['afm_fork', () => spoil('</observation>\n\n', '')],
  ['afm_fork', () => `</observation>\n\n${clean}<observation>`],
  ['afm_fork', () => spoil('</observation>\n\n', '</observation>\n')],
];

function secondSearch(query: string): string {
  return `<think>Second hop.</think>\n<wiki_search>${query}</wiki_search>\n<observation>\nyes\n</observation>\n\n<think>Clear`;
}

describe('the rules', () => {
  test('say nothing about a clean row', async () => {
    expect(await rulesOf(clean)).toEqual([]);
  });

  test.each(attacks)('%s', async (rule, text, words = '') => {
    const profile = text().startsWith('<plan>') ? 'code' : 'mhqa';
    const findings = await faultsOf(builtinProfile(profile)!, text());
    const own = findings.filter((finding) => finding.rule === rule);
    expect(own.length).toBeGreaterThan(0);
    expect(own.map((finding) => finding.message).join('\n')).toContain(words);
  });

  test('each have an attack', () => {
    const attacked = new Set(attacks.map(([rule]) => rule));
    expect(textRuleNames.filter((rule) => !attacked.has(rule))).toEqual([]);
  });

  test('do not take what was escaped, or markup of other kinds, for structure', async () => {
    const harmless = '<\\/observation\\> <b>bold</b> a<b and <x> <\\|im_end|> observation\\>';
    expect(await rulesOf(spoil('It is', harmless))).toEqual([]);
  });

  test('point at the place', async () => {
    const text = spoil('river', 'ri\0ver');
    expect(await faultsOf(builtinProfile('mhqa')!, text)).toMatchObject([{ offset: text.indexOf('\0') }]);
  });

  test('point at the place in text that is not in NFC', async () => {
    const text = spoil('It is', 'e\u0301e\u0301e\u0301').replace('</observation>\n\n', '</observation>\n');
    const findings = await faultsOf(builtinProfile('mhqa')!, text);
    const close = findings.find((finding) => finding.message.startsWith('</observation> is followed'));
    expect(close?.offset).toBe(text.indexOf('</observation>'));
  });

  test('tell at most ten findings of one kind in a row, and how many more there are', async () => {
    const findings = await faultsOf(builtinProfile('mhqa')!, spoil('river', '\0'.repeat(25)));
    expect(findings).toHaveLength(10);
    expect(findings.at(-1)?.message).toContain('and 15 more');
    expect(findings.at(-2)?.message).not.toContain('more');
  });
});

describe('very long texts', () => {
  const profile = builtinProfile('mhqa')!;
  const million = 1_000_000;

  test.each([
    ['100,000 tags that never close', '<think>'.repeat(100_000), 'missing_end_tag'],
    ['100,000 end tags', '</think>'.repeat(100_000), 'unexpected_end_tag'],
    ['a word of megabytes', `${'a'.repeat(cases(10) * million)}observation>\n\n`, 'no_blocks'],
    ['megabytes of signs', `${'<'.repeat(cases(10) * million)}observation>`, 'no_blocks'],
    ['a million carriage returns', '\r'.repeat(million), 'bad_character'],
    ['100,000 marks of observations', '<observation></observation>'.repeat(100_000), 'bad_body'],
  ] as const)('%s', async (_what, text, rule) => {
    const rules = (await faultsOf(profile, text)).map((finding) => finding.rule);
    expect(rules).toContain(rule);
  });
});

describe('properties', () => {
  test.each(profiles.map((profile) => [profile.name, profile] as const))(
    'trajectories of %s as we write them have no errors',
    async (_name, profile) => {
      await fc.assert(
        fc.asyncProperty(blocksArbitrary(profile), async (blocks) => {
          const findings = await faultsOf(profile, serializeBlocks(blocks));
          const repeats = ['duplicate_query', 'duplicate_block'];
          expect(findings.filter((finding) => !repeats.includes(finding.rule))).toEqual([]);
        }),
        { numRuns: cases(1_000) },
      );
    },
  );

  test('no text is too broken: findings lie in the text and in order', async () => {
    const rows = readForkRows().map((row) => row.output);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(mutationsOf(rows), spoilerText, fc.string({ unit: 'binary' })),
        fc.constantFrom(...profiles),
        async (text, profile) => {
          const offsets = (await faultsOf(profile, text)).map((finding) => finding.offset);
          expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
          for (const offset of offsets) expect(offset).toBeLessThanOrEqual(text.length);
          for (const offset of offsets) expect(offset).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: cases(3_000) },
    );
  });

  test.each(profiles.map((profile) => [profile.name, profile] as const))(
    'the profile %s is guessed from a trajectory that uses its tags',
    (_name, profile) => {
      fc.assert(
        fc.property(blocksArbitrary(profile), (blocks) => {
          fc.pre(blocks.some((block) => block.origin === 'environment'));
          // Without programs and images nothing tells it from web research.
          fc.pre(profile.name !== 'afm' || blocks.some(({ tag }) => /^(code|visual_inspector)$/.test(tag)));
          const text = serializeBlocks(blocks);
          // Traps may hold a boxed answer or another profile's tag only in escaped form.
          expect(guessProfile(profiles, text).name).toBe(profile.name);
        }),
        { numRuns: cases(1_000) },
      );
    },
  );
});
