import { describe, expect, test } from 'vitest';
import type { Profile, TagRule } from '../../schemas/coa/profile.ts';
import { profileProblems } from '../../schemas/coa/profileProblems.ts';
import { builtinProfiles, mathProfile, mhqaProfile, webProfile } from '../../schemas/coa/profiles/builtin.ts';

test.each(Object.values(builtinProfiles))('$name has no problems', (profile) => {
  expect(profileProblems(profile)).toEqual([]);
});

const tool = (tag: string, more: Partial<TagRule> = {}): TagRule => ({
  tag,
  agent: tag,
  kind: 'tool',
  body: 'text',
  ...more,
});
const withTags = (...tags: TagRule[]): Profile => ({ ...mhqaProfile, tags: [...mhqaProfile.tags, ...tags] });
const without = (kind: TagRule['kind']): Profile => ({
  ...mhqaProfile,
  tags: mhqaProfile.tags.filter((rule) => rule.kind !== kind),
});
const follows = (changed: Profile['follows'], base = mhqaProfile): Profile => ({
  ...base,
  follows: { ...base.follows, ...changed },
});

describe('what is wrong with a profile is said', () => {
  test.each<[Profile, string, RegExp]>([
    [withTags(tool('tool_call')), 'tags.tool_call', /chat templates use/],
    [withTags(tool('observation_log')), 'tags.observation_log', /tagged observation/],
    [withTags(tool('seen', { kind: 'observation' })), 'tags.seen', /tagged observation/],
    [withTags(tool('code')), 'tags.code', /built-in tag of kind tool with body code/],
    [withTags(tool('double_check')), 'tags.double_check', /built-in tag of kind verification/],
    [
      withTags(tool('look', { body: 'score' })),
      'tags.look',
      /kind tool has body text or urls or code or json/,
    ],
    [withTags(tool('plan')), 'tags.plan', /is there twice/],
    [withTags(tool('reply', { kind: 'answer' })), 'tags', /at most one tag of kind answer, got 2/],
    [without('answer'), 'tags', /expected a tag of kind answer/],
    [without('observation'), 'tags', /expected the tag observation/],
    [follows({ plan: ['look_up'] }), 'follows.plan.look_up', /no tag look_up; the profile's tags are think/],
    [follows({ plan: ['think'] }), 'follows.plan.think', /is not an action: name the actions/],
    [{ ...mhqaProfile, first: ['observation'] }, 'first.observation', /follows every tool by itself/],
    [{ ...mhqaProfile, once: ['reply'] }, 'once.reply', /no tag reply/],
    [{ ...mhqaProfile, think_optional_before: ['plan'] }, 'think_optional_before.plan', /think_before too/],
    [without('thinking'), 'think_before', /expected a tag of kind thinking/],
    [
      { ...mhqaProfile, follows_when: [{ after: 'reflection', outcome: 'poor', allowed: ['plan'] }] },
      'follows_when.reflection',
      /needs body grades/,
    ],
    [{ ...webProfile, follows_when: [] }, 'follows_when', /a confirmed suggestion is the answer/],
    [
      { ...webProfile, think_before: [...webProfile.think_before, 'answer'], think_optional_before: [] },
      'think_before.answer',
      /nobody thinks/,
    ],
    [
      follows({ plan: ['web_search', 'double_check'] }, webProfile),
      'follows.plan.double_check',
      /only come after/,
    ],
    [{ ...mhqaProfile, first: [] }, 'first', /may come first/],
    [{ ...mhqaProfile, once: [] }, 'once', /expected answer among them/],
    [follows({ answer: ['plan'] }), 'follows.answer', /nothing after answer/],
    [withTags(tool('look_up')), 'follows', /nothing leads to look_up/],
    [follows({ reflection: [] }), 'follows.reflection', /no way leads from reflection to the end/],
    [
      follows(
        { reflection: ['plan'] },
        { ...mathProfile, follows: { ...mathProfile.follows, plan: ['code', 'answer'] } },
      ),
      'follows.code',
      /no way leads from code once plan is used up/,
    ],
  ])('%#', (profile, path, message) => {
    const [problem] = profileProblems(profile);
    expect(problem?.path.join('.')).toBe(path);
    expect(problem?.message).toMatch(message);
  });

  test('several at once', () => {
    const broken = {
      ...follows({ plan: ['nowhere'] }),
      tags: [...mhqaProfile.tags, tool('plan_b', { body: 'grades' })],
      instruction: ' ',
    };
    const paths = profileProblems(broken).map(({ path }) => path.join('.'));
    expect(paths).toEqual(['tags.plan_b', 'follows.plan.nowhere', 'instruction']);
  });
});
