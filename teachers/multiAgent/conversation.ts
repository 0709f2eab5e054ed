import { canonicalJson } from '../../base/ids.ts';
import type { TextRequest, ToolCallStyle } from '../../contract/chatModel.ts';
import type { ChatMessage } from '../../schemas/chat.ts';
import { escapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { roleTitles, systemPrompt } from './systemPrompt.ts';
import type { Hint, TeamRole, TeamState, Turn } from './teamState.ts';

/** Role and instruction of a turn. */
export interface TurnPrompt {
  readonly role: TeamRole;
  /** Title in its line. Default: the role's title. */
  readonly title?: string;
  readonly instruction: string;
}

/**
 * Messages for a role: system prompt, question, work so far and the instruction of this turn. The prefix is stable
 * between calls of a role, or of all roles in the shared layout, so that providers can cache it. Questions and
 * observations are neutralised: no chat template may interpret a page's text as markup.
 */
export function conversation(state: TeamState, turn: TurnPrompt, style: ToolCallStyle): ChatMessage[] {
  const tags = structuralTagsOf(state.profile);
  const { turns, hint } = state;
  const said = turns.map((turn, index) => turnMessages(turn, index, style, tags));
  return merged([
    { role: 'system', content: systemPrompt(state, turn.role) },
    { role: 'user', content: `Question:\n${escapeStructure(state.question, tags).text}` },
    ...said.slice(0, hint?.after).flat(),
    ...(hint ? [hintMessage(hint, tags), ...said.slice(hint.after).flat()] : []),
    {
      role: 'user',
      content: [
        turnLine(turn.title ?? roleTitles[turn.role]),
        ...reminder(state, tags),
        turn.instruction,
      ].join('\n'),
    },
  ]);
}

const turnStart = '=== your turn: ';

/** First line of a turn's instruction, with its role. */
function turnLine(title: string): string {
  return `${turnStart}${title} ===`;
}

/** Maximum characters of a question repeated in each turn: longer ones cost more than they help. */
const MAX_REPEATED_QUESTION = 400;

/**
 * Reminder for small models next to their answer: the question on one line, so that it cannot fake lines of its own,
 * and the facts that may be used (measured: docs/real-teacher.md).
 */
function reminder({ profile, question, turns }: TeamState, tags: readonly string[]): string[] {
  const repeated = escapeStructure(question.replace(/\s+/g, ' ').trim(), tags).text;
  const lines = turns.length > 0 && repeated.length <= MAX_REPEATED_QUESTION ? [`Question: ${repeated}`] : [];
  if (profile.domain !== 'qa') return lines;
  const hasResult = turns.some(({ call }) => call !== null);
  return [
    ...lines,
    hasResult
      ? 'Use only what the results above say.'
      : 'There is no result yet, so nothing is known: name the fact to look up and guess nothing.',
  ];
}

/** Prefix shared with the task's next conversation: everything before this turn's instruction. */
export function stableBeginning(messages: readonly ChatMessage[]): NonNullable<TextRequest['stable']> {
  const last = messages.findLastIndex(({ role, content }) => role === 'user' && content.includes(turnStart));
  const content = messages[last]!.content ?? '';
  const at = content.lastIndexOf(`\n\n${turnStart}`);
  if (at >= 0) return { message: last, chars: at + 2 };
  return { message: last - 1, chars: messages[last - 1]!.content?.length ?? 0 };
}

/** Title in the line of a turn that selects and executes an action. */
export const TEAM_TITLE = 'the whole team';

/** First line of a second try's hint; no other text contains such a line. */
export const HINT_LINE = '=== a check of the answer ===';

/** Tells a second try that the first answer is wrong, without revealing the right one. */
function hintMessage(hint: Hint, tags: readonly string[]): ChatMessage {
  const content = `${HINT_LINE}
Here the team was about to end with this answer:
${escapeStructure(hint.answer, tags).text}
It is wrong. What the right answer is, nobody says.
The work goes on from here: look for where it went astray, say so plainly as you find it in the results, put it right with further looks of your own, and end with another answer. Those who will read the record know of no check: never mention that one was made or that you were told; give the reasons that the work itself shows.`;
  return { role: 'user', content };
}

function turnMessages(
  turn: Turn,
  index: number,
  style: ToolCallStyle,
  tags: readonly string[],
): ChatMessage[] {
  const thought = turn.think === null ? '' : `\n${turn.think}`;
  const heading = `=== ${turn.tag} ===${thought}`;
  if (!turn.call) return [{ role: 'assistant', content: `${heading}\n${turn.body.trim()}` }];
  const input = canonicalJson(turn.call.input);
  const observation = escapeStructure(turn.call.observation, tags).text;
  if (style === 'structured') {
    return [
      { role: 'assistant', content: `${heading}\n${input}` },
      { role: 'user', content: `=== result of ${turn.tag} ===\n${observation}` },
    ];
  }
  const id = callId(index);
  const call = { id, type: 'function' as const, function: { name: turn.tag, arguments: input } };
  return [
    { role: 'assistant', content: heading, tool_calls: [call] },
    { role: 'tool', content: observation, tool_call_id: id },
  ];
}

/** Nine alphanumeric characters, as the strictest chat template (Mistral's) requires of a call id. */
function callId(index: number): string {
  return `call${String(index).padStart(5, '0')}`;
}

/** Merges adjacent messages of one role, since several chat templates require alternating roles. */
function merged(messages: readonly ChatMessage[]): ChatMessage[] {
  const result: ChatMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    const joined = last && join(last, message);
    if (joined) result[result.length - 1] = joined;
    else result.push(message);
  }
  return result;
}

function join(first: ChatMessage, second: ChatMessage): ChatMessage | undefined {
  if (first.role === 'user' && second.role === 'user') {
    return { role: 'user', content: `${first.content}\n\n${second.content}` };
  }
  // Tool calls end an assistant's message: their results must come next.
  if (first.role === 'assistant' && second.role === 'assistant' && !first.tool_calls) {
    return { ...second, content: `${first.content}\n\n${second.content}` };
  }
  return undefined;
}
