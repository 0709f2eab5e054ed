import fc from 'fast-check';
import type { Profile, TagRule } from '../../schemas/coa/profile.ts';
import { doubleCheckGrammar } from '../../schemas/coa/profiles/builtin.ts';
import * as tag from '../../schemas/coa/profiles/tags.ts';

/** Names of tools that no built-in profile has; prefixes of each other and of built-in tags among them. */
const toolNames = [
  'look_up',
  'look',
  'think_hard',
  'x',
  'answers',
  'calc2',
  'web',
  'plan_b',
  'code_run',
] as const;

const toolArbitrary: fc.Arbitrary<TagRule> = fc.record({
  tag: fc.constantFrom(...toolNames),
  agent: fc.constant('a tool'),
  kind: fc.constant('tool' as const),
  body: fc.constantFrom('text' as const, 'urls' as const, 'code' as const, 'json' as const),
});

const material = fc.record({
  tools: fc.uniqueArray(toolArbitrary, { selector: (rule) => rule.tag, minLength: 1, maxLength: 3 }),
  verifies: fc.boolean(),
  plansOnce: fc.boolean(),
  graded: fc.boolean(),
  planThinks: fc.constantFrom('always', 'sometimes', 'never'),
  answerThinks: fc.constantFrom('always', 'sometimes', 'never'),
  toolsLoop: fc.boolean(),
  domain: fc.constantFrom('qa' as const, 'math' as const, 'code' as const),
});

/** A profile that a user might declare: tools of its own, with or without verification, grades and thinking. */
export const profileArbitrary: fc.Arbitrary<Profile> = material.map((given) => {
  const { tools, verifies, domain } = given;
  const common = {
    name: 'mine',
    title: 'A profile of its own',
    domain,
    min_interactions: 0,
    instruction: 'Go on.',
  };
  if (verifies) return { ...common, ...doubleCheckGrammar(tools) };
  return { ...common, ...plainGrammar(given) };
});

function plainGrammar({
  tools,
  plansOnce,
  graded,
  planThinks,
  answerThinks,
  toolsLoop,
}: typeof material extends fc.Arbitrary<infer T> ? T : never): Omit<
  Profile,
  'name' | 'title' | 'domain' | 'min_interactions' | 'instruction'
> {
  const calls = tools.map((rule) => rule.tag);
  const replan = plansOnce ? [] : ['plan'];
  const think = { plan: planThinks, answer: answerThinks };
  const thinking = (how: string) =>
    Object.entries(think).flatMap(([action, when]) => (when === how ? [action] : []));
  return {
    tags: [
      tag.think,
      tag.plan,
      ...tools,
      tag.observation,
      graded ? tag.gradedReflection : tag.reflection,
      tag.answer,
    ],
    first: ['plan'],
    follows: {
      plan: [...calls, 'answer'],
      ...Object.fromEntries(calls.map((call) => [call, [...(toolsLoop ? calls : []), 'reflection']])),
      reflection: [...replan, ...calls, 'answer'],
    },
    follows_when: graded && !plansOnce ? [{ after: 'reflection', outcome: 'poor', allowed: ['plan'] }] : [],
    think_before: [...calls, ...thinking('always')],
    think_optional_before: ['reflection', ...thinking('sometimes')],
    once: plansOnce ? ['plan', 'answer'] : ['answer'],
    prompt_style: 'question',
  };
}
