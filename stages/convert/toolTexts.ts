import { toolBody } from '../../schemas/coa/bodies.ts';
import { normaliseText } from '../../schemas/coa/layout.ts';
import type { TagRule } from '../../schemas/coa/profile.ts';
import type { ToolCallEvent } from '../../schemas/trace.ts';
import { modelText } from './actionBody.ts';
import { inexpressible } from './inexpressible.ts';

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
