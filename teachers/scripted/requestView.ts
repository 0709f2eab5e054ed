import type { ChatMessage } from '../../schemas/chat.ts';
import { restore } from '../../schemas/coa/neutralise.ts';

/** What a request's messages say about where the work stands. Nothing else is known to the scripted teacher. */
export interface RequestView {
  /** As the system prompt names it, for instance `tool agent`. */
  readonly role: string;
  readonly question: string;
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

/** This turn's instruction may share a message with what stands before it. */
function withoutInstruction(content: string): string {
  const at = content.lastIndexOf(`\n\n${turnLine}`);
  return at < 0 ? content : content.slice(0, at);
}
