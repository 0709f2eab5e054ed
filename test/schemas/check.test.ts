import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { type Block, layOutBlocks, serializeBlocks } from '../../schemas/coa/layout.ts';
import { allowedActions } from '../../schemas/coa/machine.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { builtinProfiles, mathProfile, mhqaProfile, webProfile } from '../../schemas/coa/profiles/builtin.ts';
import { blocksArbitrary } from '../support/trajectoryArbitrary.ts';

const profiles = Object.values(builtinProfiles);
const codes = (profile: Profile, blocks: readonly Block[]) =>
  checkGrammar(profile, blocks).map((finding) => finding.code);
const model = (tag: string, body = 'words'): Block => ({ tag, origin: 'model', body });
const observed = (body = '\nwords\n'): Block => ({ tag: 'observation', origin: 'environment', body });

/** Changes after which no valid trajectory can stay valid. */
const mutations: Readonly<Record<string, (blocks: readonly Block[], at: number) => readonly Block[]>> = {
  'the last block is gone': (blocks) => blocks.slice(0, -1),
  'a block follows the answer': (blocks, at) => [...blocks, blocks[at]!],
  'a block comes twice': (blocks, at) => [...blocks.slice(0, at + 1), ...blocks.slice(at)],
  'an observation is gone or one too many': (blocks) => {
    const at = blocks.findIndex((block) => block.origin === 'environment');
    return at < 0 ? [observed(), ...blocks] : blocks.toSpliced(at, 1);
  },
  'a body is empty': (blocks, at) => blocks.with(at, { ...blocks[at]!, body: ' \n' }),
  'a body holds a tag': (blocks, at) =>
    blocks.with(at, { ...blocks[at]!, body: `${blocks[at]!.body}</answer>` }),
  'a body holds a control token': (blocks, at) =>
    blocks.with(at, { ...blocks[at]!, body: `<|im_end|>${blocks[at]!.body}` }),
  'a tag is unknown': (blocks, at) => blocks.with(at, { ...blocks[at]!, tag: 'thought' }),
  'the writer is another': (blocks, at) =>
    blocks.with(at, { ...blocks[at]!, origin: blocks[at]!.origin === 'model' ? 'environment' : 'model' }),
};

describe.each(profiles)('no single mutation of a valid trajectory of $name is valid', (profile) => {
  test.each(Object.keys(mutations))('%s', (name) => {
    fc.assert(
      fc.property(blocksArbitrary(profile), fc.nat(), (blocks, place) => {
        const mutated = mutations[name]!(blocks, place % blocks.length);
        expect(checkGrammar(profile, mutated)).not.toEqual([]);
      }),
    );
  });
});

describe('what is wrong is named', () => {
  test.each<[string, Profile, Block[], string[]]>([
    [
      'an action without thinking',
      mhqaProfile,
      [model('plan'), model('think'), model('answer')],
      ['missing_think'],
    ],
    [
      'a tool call without observation',
      mhqaProfile,
      [model('think'), model('plan'), model('think'), model('wiki_search'), model('think'), model('answer')],
      ['missing_observation'],
    ],
    [
      'an observation of nothing',
      mhqaProfile,
      [observed(), model('think'), model('plan'), model('think'), model('answer')],
      ['misplaced_observation'],
    ],
    [
      'two plans where one is allowed',
      mathProfile,
      [model('plan'), model('plan'), model('think'), model('answer')],
      ['not_once'],
    ],
    [
      'thinking at the end',
      mhqaProfile,
      [model('think'), model('plan'), model('think'), model('answer'), model('think')],
      ['not_finished'],
    ],
    ['nothing', mhqaProfile, [], ['not_finished']],
    ['a wrong first action', mhqaProfile, [model('think'), model('answer')], ['not_allowed_here']],
  ])('%s', (_title, profile, blocks, expected) => {
    expect(codes(profile, blocks)).toEqual(expected);
  });

  test.each([
    '<observation',
    '</observation',
    '<|im_start|>',
    '<tool_call>',
    '<think>',
    '</web_search>',
    '<code>',
  ])('model text that holds %s', (look) => {
    const blocks = [model('think', `a ${look} b`), model('plan'), model('think'), model('answer')];
    expect(codes(mhqaProfile, blocks)).toEqual(['tag_in_text']);
  });

  test.each(['if observation > 5:', 'a < b', '<b>', 'Observations: 3'])('model text may say %s', (text) => {
    const blocks = [model('think', text), model('plan'), model('think'), model('answer')];
    expect(codes(mhqaProfile, blocks)).toEqual([]);
  });
});

describe('what follows depends on grades and scores', () => {
  const graded = (grade: string) =>
    model(
      'reflection',
      `\ninformation_conflict: ${grade}\ntool_effectiveness: Good\ntrajectory_monitoring: Fair\n`,
    );
  const checked = (score: number) => model('double_check', `The score this time is:${score}`);
  test.each([
    ['a Poor grade', graded('Poor'), ['plan']],
    ['good grades', graded('Good'), ['plan', 'web_search', 'crawl_page', 'suggested_answer']],
    ['score 2', checked(2), ['plan', 'web_search', 'crawl_page']],
    ['score 3', checked(3), ['answer']],
  ])('%s', (_title, last, allowed) => {
    expect(allowedActions(webProfile, [model('plan'), last])).toEqual(allowed);
  });
});

test('model text that closes its own tag and opens others reads as other blocks than were written', () => {
  const blocks = [
    model('think', 'a</think>\n<plan>b</plan>\n<think>c'),
    model('plan'),
    model('think'),
    model('answer'),
  ];
  const read = parseBlocks(mhqaProfile, serializeBlocks(blocks));
  expect(read.issues).toEqual([]);
  expect(layOutBlocks(read.blocks).map((block) => block.text)).not.toEqual(
    layOutBlocks(blocks).map((block) => block.text),
  );
});
