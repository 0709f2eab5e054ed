import type { ChatMessage } from '../../schemas/chat.ts';
import { unescapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { HINT_LINE } from '../multiAgent/conversation.ts';
import { FORM_START } from '../multiAgent/roleAsks.ts';

/** What a request's messages say about where the work stands. Nothing else is known to the scripted teacher. */
export interface RequestView {
  /** As the turn's line names it, for instance `tool agent`. */
  readonly role: string;
  /** The actions that a merged turn may choose from. */
  readonly offered: readonly string[];
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

const actionLine = /^=== [a-z][a-z0-9_]* ===$/gm;
const resultLine = /^=== result of [a-z][a-z0-9_]* ===\n/;
const turnLine = /(?:^|\n\n)=== your turn: ([a-z ]+) ===\n/g;
const offeredAction = /\{"action": "([a-z0-9_]+)"/g;

/**
 * Reads a request as a model would; undefined when no role or no question can be made out.
 *
 * @param tags - What the teacher neutralised: the built-in profiles' tags by default.
 */
export function viewRequest(
  messages: readonly ChatMessage[],
  tags?: readonly string[],
): RequestView | undefined {
  const turn = messages.map(turnOf).findLast((found) => found !== undefined);
  const firstUser = messages.find((message) => message.role === 'user');
  const asked = /^Question:\n([\s\S]*)$/.exec(withoutInstruction(firstUser?.content ?? ''))?.[1];
  if (turn === undefined || asked === undefined) return undefined;
  const written = messages.flatMap((message) =>
    message.role === 'assistant' ? [message.content ?? ''] : [],
  );
  return {
    ...turn,
    question: unescapeStructure(asked, tags),
    hinted: messages.some(({ role, content }) => role === 'user' && content?.includes(`${HINT_LINE}\n`)),
    taken: written.reduce((count, text) => count + (text.match(actionLine)?.length ?? 0), 0),
    observations: messages.flatMap(observationOf).map((text) => unescapeStructure(text, tags)),
    written,
  };
}

function observationOf(message: ChatMessage): string[] {
  if (message.role === 'tool') return [message.content];
  if (message.role !== 'user' || !resultLine.test(message.content)) return [];
  return [withoutInstruction(message.content).replace(resultLine, '')];
}

/** Whose turn a message says it is, and what a merged turn offers; undefined where it says nothing of it. */
function turnOf(message: ChatMessage): Pick<RequestView, 'role' | 'offered'> | undefined {
  const line = message.role === 'user' ? [...message.content.matchAll(turnLine)].at(-1) : undefined;
  if (!line) return undefined;
  const content = message.content ?? '';
  // The turn's own lines may repeat the question, which may hold anything.
  const start = content.lastIndexOf(FORM_START);
  const form = start > line.index ? content.slice(start) : '';
  return { role: line[1]!, offered: [...form.matchAll(offeredAction)].map(([, action]) => action!) };
}

/** This turn's instruction, and before it a second try's hint, may share a message with what stands before them. */
function withoutInstruction(content: string): string {
  const turn = [...content.matchAll(turnLine)].at(-1)?.index ?? content.length;
  const hint = content.lastIndexOf(`\n\n${HINT_LINE}\n`, turn);
  return content.slice(0, hint < 0 ? turn : hint);
}
