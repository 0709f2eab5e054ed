import type { JsonObject } from '../../base/json.ts';
import { toolBody } from '../../schemas/coa/bodies.ts';
import { tagRule } from '../../schemas/coa/profile.ts';
import { countRepeats } from '../../schemas/filters/nearRedundantInputs.ts';
import { isFormText } from '../../schemas/roleForms.ts';
import { systemPrompt } from './systemPrompt.ts';
import { actionKind, type TeamState } from './teamState.ts';

/** Minimum actions added by ending with an action: a suggested answer is followed by a double check. */
const actionsToEnd = { answer: 1, suggested_answer: 2 } as const;

/**
 * Interactions missing before an action that may end the work, as the filters count them; 0 for other actions and
 * without a promise.
 */
export function missingInteractions({ profile, turns, promises }: TeamState, action: string): number {
  const kind = actionKind(profile, action);
  if (!promises || (kind !== 'answer' && kind !== 'suggested_answer')) return 0;
  const { count, least } = promises.interactions;
  const done = count === 'tools' ? toolCalls(turns) : turns.length + actionsToEnd[kind];
  return Math.max(0, least - done);
}

/** Number of tool calls. */
export function toolCalls(turns: TeamState['turns']): number {
  return turns.filter(({ call }) => call !== null).length;
}

/** Reason to refuse a tool's input; undefined if accepted. */
export function refusedInput(
  { profile, turns, promises }: TeamState,
  tool: string,
  input: JsonObject,
): string | undefined {
  if (!promises || promises.mostRepeats === null) return undefined;
  const repeats = repeatsWith({ profile, turns }, promises.similarity, { tool, input });
  if (repeats <= promises.mostRepeats) return undefined;
  return 'this input was used before, and its result would be the same: use another one';
}

/** Repeated inputs of all tools with one more appended; 0 if the new one is not a repeat. */
function repeatsWith(
  { profile, turns }: Pick<TeamState, 'profile' | 'turns'>,
  similarity: number | null,
  last: { readonly tool: string; readonly input: JsonObject },
): number {
  const bodiesOf = (tag: string) =>
    turns.flatMap((turn) => (turn.call && turn.tag === tag ? [turn.body] : []));
  const repeatsOf = (tag: string, bodies: readonly string[]) =>
    countRepeats(tagRule(profile, tag)!.body, bodies, similarity);
  const own = bodiesOf(last.tool);
  const body = toolBody(tagRule(profile, last.tool)!.body, last.input);
  if (repeatsOf(last.tool, [...own, body]) === repeatsOf(last.tool, own)) return 0;
  const called = new Set(turns.flatMap((turn) => (turn.call ? [turn.tag] : [])));
  return 1 + [...called].reduce((sum, tag) => sum + repeatsOf(tag, bodiesOf(tag)), 0);
}

/** Minimum length of a copy; shorter texts such as "Done." may recur or be in the prompt. */
const MIN_COPY_CHARS = 30;
/** Members that may repeat earlier text: the final answer is often the suggested one. */
const mayRepeat: readonly string[] = ['answer', 'next'];

/**
 * Reason to refuse an answer's text: copied from the form, the prompt or an earlier turn; undefined if accepted.
 * @param written - as the model wrote it
 * @param read - as it is recorded
 */
export function refusedWords(state: TeamState, written: JsonObject, read: JsonObject): string | undefined {
  const { turns, promises } = state;
  const prompt = systemPrompt({ ...state, layout: 'shared' }, 'orchestrator').toLowerCase();
  const isOfPrompt = (text: string) =>
    text.length >= MIN_COPY_CHARS && prompt.includes(withoutNumber(text).toLowerCase());
  for (const [member, value] of Object.entries(read)) {
    const texts = [written[member]].flat().filter((text) => typeof text === 'string');
    if (texts.some(isFormText)) return `"${member}" holds no words of your own: write what it is to say`;
    if (texts.some(isOfPrompt)) return `"${member}" repeats the instructions: write what it is to say`;
    if (!promises || typeof value !== 'string' || mayRepeat.includes(member)) continue;
    const text = value.trim();
    if (text.length < MIN_COPY_CHARS) continue;
    if (turns.some(({ think, body, call }) => think?.trim() === text || (!call && body.trim() === text)))
      return `"${member}" repeats an earlier text word for word: say what is new`;
  }
  return undefined;
}

/** Strips the number of a plan's step. */
function withoutNumber(text: string): string {
  return text.trim().replace(/^\d+[.)]\s+/, '');
}
