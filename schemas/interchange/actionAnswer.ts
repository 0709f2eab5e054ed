import type { JsonObject } from '../../base/json.ts';
import { gradesBody, parseGrades, parseScore, reflectionCriteria, scoreBody } from '../coa/bodies.ts';
import type { TagRule } from '../coa/profile.ts';
import type { Role } from '../trace.ts';

/** Answer field with the text of an action. */
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

/** Kinds of tags that an agent writes itself: neither thinking, nor tools and their results. */
export type ActionKind = keyof typeof roles;

/** Rule of a tag that an agent writes itself. */
export type ActionRule = TagRule & { readonly kind: ActionKind };

/** True for tags that an agent writes itself. */
export function isAction(rule: TagRule): rule is ActionRule {
  return rule.kind in roles;
}

export function roleOfAction(kind: ActionKind): Role {
  return roles[kind];
}

/** Structured answer of an action's body; undefined if the text is not of its kind. */
export function answerOfBody(rule: ActionRule, body: string): JsonObject | undefined {
  if (rule.kind === 'verification') {
    const score = parseScore(body);
    return score === undefined ? undefined : { score };
  }
  if (rule.body === 'grades') return parseGrades(body);
  const words = body.trim();
  return words === '' ? undefined : { [wordsField[rule.kind]]: words };
}

/** Body of an action's structured answer; undefined if the answer lacks it. */
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
