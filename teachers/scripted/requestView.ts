import type { ChatMessage } from '../../schemas/chat.ts';
import { restore } from '../../schemas/coa/neutralise.ts';
import { HINT_LINE } from '../multiAgent/conversation.ts';

/** What a request's messages say about where the work stands. Nothing else is known to the scripted teacher. */
export interface RequestView {
  /** As the system prompt names it, for instance `tool agent`. */
  readonly role: string;
  readonly question: string;
  /** Whether it is a second try, told that the first one's answer was wrong. */
  readonly hinted: boolean;
  /** Actions that the team has finished. */
  readonly taken: number;
  /** What the tools showed, in order. */
  readonly observations: readonly string[];
  /** Everything that an assistant is said to have written. */
  readonly written: readonly string[];
}

const roleLine = /^You are the ([a-z ]+) of a team of agents\b/;
const actionLine = /^=== [a-z][a-z0-9_]* ===$/gm;
const resultLine = /^=== result of [a-z][a-z0-9_]* ===\n/;
const turnLine = '=== your turn ===\n';

/**
 * Reads a request as a model would; undefined when no role or no question can be made out.
 *
 * @param tags - What the teacher neutralised: the built-in profiles' tags by default.
 */
export function viewRequest(
  messages: readonly ChatMessage[],
  tags?: readonly string[],
): RequestView | undefined {
  const system = messages.find((message) => message.role === 'system');
  const firstUser = messages.find((message) => message.role === 'user');
  const role = roleLine.exec(system?.content ?? '')?.[1];
  const asked = /^Question:\n([\s\S]*)$/.exec(withoutInstruction(firstUser?.content ?? ''))?.[1];
  if (role === undefined || asked === undefined) return undefined;
  const written = messages.flatMap((message) =>
    message.role === 'assistant' ? [message.content ?? ''] : [],
  );
  return {
    role,
    question: restore(asked, tags),
    hinted: messages.some(({ role, content }) => role === 'user' && content?.includes(`${HINT_LINE}\n`)),
    taken: written.reduce((count, text) => count + (text.match(actionLine)?.length ?? 0), 0),
    observations: messages.flatMap(observationOf).map((text) => restore(text, tags)),
    written,
  };
}

function observationOf(message: ChatMessage): string[] {
  if (message.role === 'tool') return [message.content];
  if (message.role !== 'user' || !resultLine.test(message.content)) return [];
  return [withoutInstruction(message.content).replace(resultLine, '')];
}

/** This turn's instruction, and before it a second try's hint, may share a message with what stands before them. */
function withoutInstruction(content: string): string {
  return [turnLine, `${HINT_LINE}\n`].reduce((text, line) => {
    const at = text.lastIndexOf(`\n\n${line}`);
    return at < 0 ? text : text.slice(0, at);
  }, content);
}
