import type { JsonObject } from '../../base/json.ts';
import { answerBody } from '../../schemas/coa/answers.ts';
import { toolBody } from '../../schemas/coa/bodies.ts';
import { normaliseText } from '../../schemas/coa/layout.ts';
import type { TagRule } from '../../schemas/coa/profile.ts';
import { bodyOfAnswer, isAction } from '../../schemas/interchange/actionAnswer.ts';
import type { Domain } from '../../schemas/task.ts';
import type { ToolCallEvent } from '../../schemas/trace.ts';
import { inexpressible } from './flattenEvents.ts';

/** Model text as it stands between tags: trimmed and normalised, otherwise the model's own words, tags included. */
export function modelText(text: string): string {
  return normaliseText(text.trim());
}

/**
 * The body of an action that an agent wrote itself, from its structured answer; undefined where the answer lacks
 * what the action needs.
 *
 * | kind of tag | field | body |
 * |---|---|---|
 * | plan | `plan` | text |
 * | reflection, free | `reflection` | text |
 * | reflection, graded | one grade a criterion | three lines |
 * | suggested_answer | `answer` | text |
 * | verification | `score` | the score line |
 * | answer | `answer` | text, boxed for maths, fenced for programs |
 */
export function actionBody(rule: TagRule, answer: JsonObject, domain: Domain): string | undefined {
  const words = isAction(rule) ? bodyOfAnswer(rule, answer) : undefined;
  if (words === undefined || rule.body === 'grades' || rule.body === 'score') return words;
  return rule.kind === 'answer' ? answerBody(domain, modelText(words)) : modelText(words);
}

/** What a tool was asked, as it stands between its tags: the white space around a fence belongs to it. */
export function toolText({ body }: TagRule, { input }: ToolCallEvent): string {
  const text = toolBody(body, input);
  return body === 'code' || body === 'json' ? normaliseText(text) : modelText(text);
}

/**
 * What the agent was shown, or else why the call failed.
 *
 * @throws RecordFailure (`inexpressible`) where the trace says neither
 */
export function observedText({ id, tool, observation, failure }: ToolCallEvent): string {
  if (observation !== null) return observation;
  if (failure && failure.message.trim() !== '') return failure.message;
  throw inexpressible(id, `${tool} gave no observation`);
}
