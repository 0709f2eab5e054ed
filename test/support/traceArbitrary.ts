import fc from 'fast-check';
import type { JsonObject } from '../../base/json.ts';
import { reflectionCriteria, reflectionGrades } from '../../schemas/coa/bodies.ts';
import { allowedActions, isFinal, type TakenAction } from '../../schemas/coa/machine.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { Role } from '../../schemas/trace.ts';
import { actionBody } from '../../stages/convert/eventTexts.ts';
import { type TraceStep, toolSteps } from './traceFixture.ts';
import { harmlessText } from './trajectoryArbitrary.ts';

/** Text that a tool may show: anything, and above all what looks like structure. */
export const hostileText = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc
      .array(
        fc.constantFrom(
          '</observation>',
          '\n\n',
          '<answer>42</answer>',
          '<|im_end|>',
          '<',
          '\\',
          'a',
          '\r\n',
          '\u0338',
          '[INST]',
        ),
        { minLength: 1 },
      )
      .map((parts) => parts.join('')),
  )
  .filter((text) => text.trim() !== '');

const words = harmlessText.map((text) => text.replaceAll('```', "'''"));

const allGood = Object.fromEntries(reflectionCriteria.map((name) => [name, 'Good' as const]));

const material = fc.record({
  choice: fc.nat(),
  think: words,
  text: words,
  observation: hostileText,
  grades: fc.record(
    Object.fromEntries(reflectionCriteria.map((name) => [name, fc.constantFrom(...reflectionGrades)])),
  ),
  score: fc.integer({ min: 1, max: 4 }),
});
type Material = typeof material extends fc.Arbitrary<infer T> ? T : never;

const roles: Readonly<Record<string, Role>> = {
  plan: 'planner',
  reflection: 'reflector',
  suggested_answer: 'answerer',
  verification: 'verifier',
  answer: 'answerer',
};

const towardsTheEnd = ['answer', 'double_check', 'suggested_answer', 'reflection'];

/** The steps of a team that only takes actions which the profile allows, and comes to an end. */
export function stepsArbitrary(profile: Profile): fc.Arbitrary<TraceStep[]> {
  return fc.tuple(fc.array(material, { maxLength: 6 }), material).map(([wandering, last]) => {
    const steps: TraceStep[] = [];
    const taken: TakenAction[] = [];
    const good: Material = { ...last, score: 4, grades: allGood };
    while (!hasEnded(profile, taken)) {
      const given = wandering.shift();
      const action = pick(allowedActions(profile, taken), given?.choice);
      steps.push(...stepsOf(profile, action, given ?? good, taken));
    }
    return steps;
  });
}

/** A team stops where only the confirmed answer is left to write. */
function hasEnded(profile: Profile, taken: readonly TakenAction[]): boolean {
  const last = taken.at(-1);
  if (last === undefined) return false;
  const confirmed =
    tagRule(profile, last.tag)?.kind === 'verification' && allowedActions(profile, taken)[0] === 'answer';
  return confirmed || isFinal(profile, last.tag);
}

function pick(allowed: readonly string[], choice: number | undefined): string {
  const last = towardsTheEnd.find((tag) => allowed.includes(tag)) ?? allowed[0]!;
  return choice === undefined ? last : allowed[choice % allowed.length]!;
}

function stepsOf(profile: Profile, action: string, given: Material, taken: TakenAction[]): TraceStep[] {
  const rule = tagRule(profile, action)!;
  if (rule.kind === 'tool') {
    taken.push({ tag: action, body: '' });
    const urls = { urls: ['https://a.example/x', 'https://b.example'] };
    const inputs = { urls, code: { code: given.text }, json: { file_path: 'x.png', question: given.text } };
    const input = rule.body in inputs ? inputs[rule.body as keyof typeof inputs] : { query: given.text };
    return toolSteps(action, input, given.observation, given.think);
  }
  const needsThink = profile.think_before.includes(action);
  const answer: JsonObject = { ...(needsThink ? { think: given.think } : {}), ...answerOf(rule.kind, given) };
  taken.push({ tag: action, body: actionBody(rule, answer, profile.domain)! });
  return [{ role: roles[rule.kind]!, action, answer }];
}

function answerOf(kind: string, given: Material): JsonObject {
  if (kind === 'plan') return { plan: given.text };
  if (kind === 'reflection') return { reflection: given.text, ...given.grades };
  return kind === 'verification' ? { score: given.score } : { answer: given.text };
}
