import { z } from 'zod';
import { Counts } from '../../base/counts.ts';
import { type Profile, tagRule } from '../coa/profile.ts';
import { inputPath, key, keyOf, plainText, timerSeconds, wholeNumber } from '../config/keyMeaning.ts';
import { passRateFromSchema } from '../config/passRate.ts';
import { secretKindSchema } from '../filterMeasures.ts';
import type { Trajectory } from '../trajectory.ts';
import { filterRule } from './filterRule.ts';
import { groundingOf } from './grounding.ts';
import { unsupportedThoughtOf } from './unsupportedThought.ts';

const filterKey = keyOf('filter');

/** Rules of `coa-distill check` that a trajectory must not break. */
export const checkRule = filterRule({
  reasons: {
    check_finding: '`filters.check`: names of rules, or `error`, `warning`, `all`; off where absent',
  },
  keys: {
    check: filterKey(
      z.array(plainText).min(1).optional(),
      'Rules on texts whose findings drop a trajectory, by name or as error, warning, all; absent: none',
    ),
  },
  async measure(trajectory, { settings, profile, tools }) {
    if (!settings.check) return {};
    const findings = await tools.check!(profile, textOf(trajectory));
    return { check: Object.fromEntries(Counts.of(findings.map(({ rule }) => rule))) };
  },
  decide(_, { measures: { check = {} } }) {
    if (Object.keys(check).length === 0) return undefined;
    return { reason: 'check_finding', evidence: { findings_by_rule: { ...check } } };
  },
});

/** Rules from the user's modules. */
export const ownRules = filterRule({
  reasons: { own_rule: '`filters.rules`: files of modules' },
  keys: {
    rules: filterKey(
      z.array(inputPath).min(1).optional(),
      'Rules of your own, each the file of a module that says for what a trajectory is dropped: docs/own-code.md',
    ),
    rules_timeout_s: key(
      timerSeconds.positive().default(60),
      'Seconds that one of rules may take for a trajectory',
    ),
  },
  async measure(trajectory, { settings, tools }) {
    return settings.rules ? { own_rules: await tools.askOwnRules!(trajectory) } : {};
  },
  decide(_, { measures: { own_rules = [] } }) {
    return own_rules.length === 0 ? undefined : { reason: 'own_rule', evidence: { own_rules } };
  },
});

const lengthKeys = z.strictObject({
  min_steps: filterKey(wholeNumber.optional(), 'Fewest actions; thinking and observations do not count'),
  max_steps: filterKey(wholeNumber.optional(), 'Most actions; absent: any number'),
  min_tokens: filterKey(
    wholeNumber.optional(),
    'Fewest tokens of its text by dataset.tokenizer, without the prompt',
  ),
  max_tokens: filterKey(
    wholeNumber.optional(),
    'Most tokens of its text by dataset.tokenizer, without the prompt',
  ),
});

/** Bounds on steps and tokens, inclusive. */
export const lengthRule = filterRule({
  reasons: { length_out_of_range: '`filters.length`: `min_steps`, `max_steps`, `min_tokens`, `max_tokens`' },
  keys: {
    length: lengthKeys.optional().describe('Bounds of a trajectory, both ends included; absent: none'),
  },
  async measure(trajectory, { settings: { length }, profile, tools }) {
    const text = textOf(trajectory);
    return {
      steps: countSteps(trajectory, profile),
      chars: text.length,
      ...(limitsTokens(length) && { tokens: await tools.countTokens!(text) }),
    };
  },
  decide(_, { settings: { length }, measures: { steps, tokens } }) {
    const { min_steps = 0, max_steps, min_tokens = 0, max_tokens } = length ?? {};
    const isOut = (value: number | undefined, least: number, most = Number.POSITIVE_INFINITY) =>
      value !== undefined && (value < least || value > most);
    const evidence = {
      ...(isOut(steps, min_steps, max_steps) && { steps, min_steps, max_steps: max_steps ?? null }),
      ...(isOut(tokens, min_tokens, max_tokens) && {
        tokens: tokens!,
        min_tokens,
        max_tokens: max_tokens ?? null,
      }),
    };
    return Object.keys(evidence).length === 0 ? undefined : { reason: 'length_out_of_range', evidence };
  },
});

function limitsTokens(length: z.infer<typeof lengthKeys> | undefined): boolean {
  return (length?.min_tokens ?? length?.max_tokens) !== undefined;
}

/** Language other than the configured one; an undetectable language passes. */
export const languageRule = filterRule({
  reasons: { unwanted_language: '`filters.languages`: codes of ISO 639-1' },
  keys: {
    languages: filterKey(
      z
        .array(plainText.regex(/^[a-z]{2}$/, 'a code of two letters, as in ISO 639-1'))
        .min(1)
        .optional(),
      'Languages that the words of the model may be in, for instance [en, zh]; absent: any',
    ),
  },
  async measure(trajectory, { settings, profile, tools }) {
    if (!settings.languages) return {};
    return { language: await tools.detectLanguage!(wordsOfModel(trajectory, profile)) };
  },
  decide(_, { settings: { languages }, measures: { language } }) {
    if (!languages || language === undefined || language === null || languages.includes(language))
      return undefined;
    return { reason: 'unwanted_language', evidence: { language, languages } };
  },
});

/** Secrets in observations that are not masked. Evidence counts them without repeating them. */
export const secretsRule = filterRule({
  reasons: { secret_in_text: '`filters.secrets.action: drop`' },
  keys: {
    secrets: z
      .strictObject({
        action: filterKey(
          z.enum(['flag', 'mask', 'drop']).default('mask'),
          'flag: count only; mask: put a placeholder in its place; drop: drop the trajectory',
        ),
        kinds: filterKey(
          z
            .array(secretKindSchema)
            .min(1)
            .default([...secretKindSchema.options]),
          'Kinds of secrets and personal data that are looked for',
        ),
      })
      .optional()
      .describe('Secrets and personal data in what tools showed; absent: not looked for'),
  },
  measure: (_, { secrets }) => (secrets ? { secrets } : {}),
  decide(_, { settings, measures: { secrets = {} } }) {
    if (settings.secrets?.action !== 'drop' || Object.keys(secrets).length === 0) return undefined;
    return { reason: 'secret_in_text', evidence: { secrets } };
  },
});

/** Correct answers that no tool showed: training on them teaches the student to answer from memory. */
export const groundingRule = filterRule({
  reasons: { ungrounded: '`filters.grounding: { drop: true }`, the default; the preset `afm` has `false`' },
  keys: {
    grounding: z
      .strictObject({
        drop: filterKey(
          z.boolean().default(true),
          'Drop a trajectory whose answer no observation holds, of profiles with domain qa and a tool that brings evidence; measured either way',
        ),
      })
      .optional()
      .describe('Answers that no observation holds; absent: dropped, so that a preset may set it'),
  },
  measure(trajectory, { profile }) {
    const grounding = groundingOf(trajectory, profile);
    return grounding ? { grounding } : {};
  },
  decide(_, { settings, measures: { grounding } }) {
    const { drop } = settings.grounding ?? { drop: true };
    if (!drop || grounding?.finding !== 'ungrounded') return undefined;
    const { looks, empty_looks } = grounding;
    return { reason: 'ungrounded', evidence: { looks, empty_looks } };
  },
});

/** Facts stated in a thought before the first tool call. */
export const unsupportedThoughtRule = filterRule({
  reasons: { unsupported_thought: '`filters.unsupported_thought: { drop: true }`; kept by default' },
  keys: {
    unsupported_thought: z
      .strictObject({
        drop: filterKey(
          z.boolean().default(false),
          'Drop a trajectory whose thoughts hold numbers or names that neither the prompt nor an earlier observation holds; measured either way',
        ),
      })
      .optional()
      .describe('Numbers and names in thoughts that nothing before them holds; absent: kept'),
  },
  measure(_, { profile, withoutSecrets }) {
    const unsupported_thought = unsupportedThoughtOf(withoutSecrets, profile);
    return unsupported_thought ? { unsupported_thought } : {};
  },
  decide(_, { settings, measures: { unsupported_thought } }) {
    if (!settings.unsupported_thought?.drop || !unsupported_thought?.values) return undefined;
    return { reason: 'unsupported_thought', evidence: { ...unsupported_thought } };
  },
});

/** Tasks that another model solves too often (the paper selects tasks for reinforcement learning so). */
export const difficultyRule = filterRule({
  reasons: {
    too_easy: '`filters.pass_rate`: `from`, `max` (0.3 in the paper)',
    too_hard: '`filters.pass_rate`: `from`, `min`',
  },
  keys: {
    pass_rate: passRateFromSchema('refused', 'filter')
      .refine(({ from }) => from !== undefined, { path: ['from'], message: 'a file of pass rates' })
      .optional()
      .describe('Drops tasks that another model solves too often or too seldom; absent: none'),
  },
  async measure(trajectory, { tools }) {
    return tools.passRateOf ? { pass_rate: (await tools.passRateOf(trajectory)) ?? null } : {};
  },
  decide(_, { settings: { pass_rate: range }, measures: { pass_rate } }) {
    if (!range || pass_rate === undefined || pass_rate === null) return undefined;
    const { min = 0, max = 1 } = range;
    if (pass_rate > max) return { reason: 'too_easy', evidence: { pass_rate, max_pass_rate: max } };
    if (pass_rate < min) return { reason: 'too_hard', evidence: { pass_rate, min_pass_rate: min } };
    return undefined;
  },
});

function textOf({ segments }: Trajectory): string {
  return segments.map((segment) => segment.text).join('');
}

function countSteps({ segments }: Trajectory, profile: Profile): number {
  const still: readonly (string | undefined)[] = ['thinking', 'observation'];
  return segments.filter(({ tag }) => !still.includes(tagRule(profile, tag)?.kind)).length;
}

/** Maximum text for language detection; more text does not improve it. */
const MAX_CHARS = 20_000;
/** Body kinds that hold prose rather than programs, addresses or data. */
const wordy: readonly (string | undefined)[] = ['text', 'grades'];

/** Prose written by the model, without tags. */
function wordsOfModel({ segments, question }: Trajectory, profile: Profile): string {
  const texts = segments.flatMap(({ tag, origin, text }) =>
    origin === 'model' && wordy.includes(tagRule(profile, tag)?.body)
      ? [text.slice(`<${tag}>`.length, text.lastIndexOf(`</${tag}>`))]
      : [],
  );
  return [question, ...texts].join('\n').slice(0, MAX_CHARS);
}
