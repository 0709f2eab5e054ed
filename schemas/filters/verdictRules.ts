import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { bodyOf } from '../coa/bodies.ts';
import { checkGrammar } from '../coa/check.ts';
import { layOutBlocks } from '../coa/layout.ts';
import { parseBlocks } from '../coa/parse.ts';
import type { Profile } from '../coa/profile.ts';
import { keyOf, plainText, positiveInt, share } from '../config/keyMeaning.ts';
import { hashedShare } from '../hashedShare.ts';
import { isFormText } from '../roleForms.ts';
import { testCount } from '../task.ts';
import type { Trajectory } from '../trajectory.ts';
import type { Verdict } from '../verdict.ts';
import { type BrokenRule, filterRule } from './filterRule.ts';

const filterKey = keyOf('filter');

export const grammarRule = filterRule({
  reasons: { invalid_grammar: 'none' },
  keys: {},
  decide: (trajectory, { profile }) => invalidGrammar(trajectory, profile),
});

/** Maximum breaches in the evidence; a text full of tags has hundreds. */
const MAX_BREACHES = 10;

/**
 * Requires the rendered text to parse into exactly the segments, and the segments to follow the profile's grammar.
 */
export function invalidGrammar(trajectory: Trajectory, profile: Profile): BrokenRule | undefined {
  const { blocks, issues } = parseBlocks(
    profile,
    trajectory.segments.map((segment) => segment.text).join(''),
  );
  const breaches = [
    ...issues.map(({ code, offset, message }) => ({ code, offset, message })),
    ...segmentBreaches(trajectory, layOutBlocks(blocks)),
    ...checkGrammar(profile, blocks).map(({ code, block, message }) => ({ code, block, message })),
  ];
  if (breaches.length === 0) return undefined;
  return {
    reason: 'invalid_grammar',
    evidence: { breaches: breaches.slice(0, MAX_BREACHES), count: breaches.length },
  };
}

/** Differences between the parsed text and its segments: model text that closes its own tag and opens others. */
function segmentBreaches({ segments }: Trajectory, read: ReturnType<typeof layOutBlocks>) {
  const length = Math.max(segments.length, read.length);
  for (let at = 0; at < length; at++) {
    const segment = segments[at];
    const block = read[at];
    if (segment?.text === block?.text && segment?.origin === block?.origin) continue;
    const message = `segment ${at} (<${segment?.tag}>) does not read as one block of its own`;
    return [{ code: 'segment_mismatch', block: at, message }];
  }
  return [];
}

export const wrongAnswerRule = filterRule({
  reasons: { wrong_answer: 'section `judge`' },
  keys: {},
  decide({ quality }) {
    const failed = failedVerdict(quality, 'answer');
    return failed && { reason: 'wrong_answer', evidence: failed };
  },
});

/** Applies to tasks before they are worked on. */
export const testsRule = filterRule({
  reasons: {
    too_few_tests:
      "`filters.min_tests`; not asked where absent. Of a run's own tasks they are dropped before a model is asked ([tasks.md](tasks.md))",
  },
  keys: {
    min_tests: keyOf('tasks', 'filter')(
      positiveInt.optional(),
      "Fewest tests that a program is judged by; tasks with fewer are dropped before a model is asked; absent: any number. The paper's have 50 and more on average",
    ),
  },
  decide({ tests }, { settings: { min_tests = 0 } }) {
    if (!tests || testCount(tests) >= min_tests) return undefined;
    return { reason: 'too_few_tests', evidence: { tests: testCount(tests), min_tests } };
  },
});

export const instructionsRule = filterRule({
  reasons: {
    instruction_failure:
      '`filters.instruction_failures: drop` or `keep`; asked for with `judge.instructions`',
  },
  keys: {
    instruction_failures: filterKey(
      z.enum(['drop', 'keep']).default('drop'),
      'What is done with trajectories that do not follow their instructions, as a judge found',
    ),
  },
  decide({ quality }, { settings }) {
    if (settings.instruction_failures === 'keep') return undefined;
    const failed = failedVerdict(quality, 'instructions');
    return failed && { reason: 'instruction_failure', evidence: failed };
  },
});

/** Placeholder text of an answer form in place of an answer, in imported traces: a team retries such answers. */
export const formTextRule = filterRule({
  reasons: { form_text: '`filters.form_text: drop` or `keep`' },
  keys: {
    form_text: filterKey(
      z.enum(['drop', 'keep']).default('drop'),
      "What is done with trajectories in which the model copied an answer's form, such as `the answer` or `...`",
    ),
  },
  decide({ segments }, { settings }) {
    if (settings.form_text === 'keep') return undefined;
    const found = segments.find((segment) => segment.origin === 'model' && isFormText(bodyOf(segment)));
    return found && { reason: 'form_text', evidence: { tag: found.tag, text: found.text.slice(0, 200) } };
  },
});

/** Selection depends only on the seed and the trajectory's id; a higher rate only adds. */
export const reflectionRule = filterRule({
  reasons: { no_reflection: '`filters.reflection`: `rate` (1), `drop_for`: profiles that keep none' },
  keys: {
    reflection: z
      .strictObject({
        rate: filterKey(
          share.default(1),
          'Share of the trajectories without reflection that stay; chosen by id and seed',
        ),
        drop_for: filterKey(
          z.array(plainText).default([]),
          'Profiles of which none without reflection stays, for instance [math, code]',
        ),
      })
      .optional()
      .describe('Trajectories without a reflection; absent: all stay'),
  },
  decide({ id, profile, quality }, { settings: { reflection }, seed }) {
    if (!reflection || quality.reflections > 0) return undefined;
    const { rate, drop_for } = reflection;
    if (drop_for.includes(profile)) return { reason: 'no_reflection', evidence: { profile, drop_for } };
    const share = hashedShare('reflection', seed, id);
    return share < rate ? undefined : { reason: 'no_reflection', evidence: { share, rate } };
  },
});

/** First failed verdict of any judge, as evidence. */
function failedVerdict(
  { verdicts }: Trajectory['quality'],
  subject: Verdict['subject'],
): JsonObject | undefined {
  const found = verdicts.find((verdict) => verdict.subject === subject && verdict.judgement === 'incorrect');
  if (!found) return undefined;
  const { judge, score, evidence } = found;
  return { judge, score, ...evidence };
}
