import type { JsonObject } from '../../base/json.ts';
import { gradesBody, parseGrades, parseScore, reflectionCriteria, scoreBody } from '../coa/bodies.ts';
import type { TagRule } from '../coa/profile.ts';
import type { Role } from '../trace.ts';

/** The field of an agent's structured answer that holds the words of an action. */
const wordsField = {
  plan: 'plan',
  reflection: 'reflection',
  suggested_answer: 'answer',
  answer: 'answer',
} as const satisfies Partial<Record<TagRule['kind'], string>>;

const roles = {
  plan: 'planner',
  reflection: 'reflector',
  suggested_answer: 'answerer',
  answer: 'answerer',
  verification: 'verifier',
} as const satisfies Partial<Record<TagRule['kind'], Role>>;

/** Kinds of tags that an agent writes by itself: neither thinking, nor tools and what they give back. */
export type ActionKind = keyof typeof roles;

/** The rule of a tag that an agent writes by itself. */
export type ActionRule = TagRule & { readonly kind: ActionKind };

/** True for tags that an agent writes by itself. */
export function isAction(rule: TagRule): rule is ActionRule {
  return rule.kind in roles;
}

export function roleOfAction(kind: ActionKind): Role {
  return roles[kind];
}

/** What stands between an action's tags as a structured answer; undefined when the words are not of its kind. */
export function answerOfBody(rule: ActionRule, body: string): JsonObject | undefined {
  if (rule.kind === 'verification') {
    const score = parseScore(body);
    return score === undefined ? undefined : { score };
  }
  if (rule.body === 'grades') return parseGrades(body);
  const words = body.trim();
  return words === '' ? undefined : { [wordsField[rule.kind]]: words };
}

/** An action's structured answer as the words between its tags; undefined when the answer lacks them. */
export function bodyOfAnswer(rule: ActionRule, answer: JsonObject): string | undefined {
  if (rule.kind === 'verification') {
    return typeof answer.score === 'number' ? scoreBody(answer.score) : undefined;
  }
  if (rule.body === 'grades') {
    const grades = reflectionCriteria.map((criterion) => [criterion, answer[criterion]] as const);
    const isGraded = grades.every((pair): pair is [(typeof pair)[0], string] => typeof pair[1] === 'string');
    return isGraded ? gradesBody(Object.fromEntries(grades)) : undefined;
  }
  const words = answer[wordsField[rule.kind]];
  return typeof words === 'string' ? words : undefined;
}
