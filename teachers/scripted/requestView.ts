import type { ChatMessage } from '../../schemas/chat.ts';
import { unescapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { HINT_LINE } from '../multiAgent/conversation.ts';
import { FORM_START } from '../multiAgent/roleAsks.ts';

/** State of the work as shown by a request's messages, the scripted teacher's only input. */
export interface RequestView {
  /** Role in the turn's line, such as `tool agent`. */
  readonly role: string;
  /** Possible actions of a merged turn. */
  readonly offered: readonly string[];
  readonly question: string;
  /** True for a second try, which was told that the first answer was wrong. */
  readonly hinted: boolean;
  /** Number of finished actions. */
  readonly taken: number;
  /** Observations of tools, in order. */
  readonly observations: readonly string[];
  /** All assistant texts. */
  readonly written: readonly string[];
}

const actionLine = /^=== [a-z][a-z0-9_]* ===$/gm;
const resultLine = /^=== result of [a-z][a-z0-9_]* ===\n/;
const turnLine = /(?:^|\n\n)=== your turn: ([a-z ]+) ===\n/g;
const offeredAction = /\{"action": "([a-z0-9_]+)"/g;

/**
 * Parses a request as a model would; undefined without a recognisable role or question.
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

/** Role of a message's turn, and the choices of a merged turn; undefined if not stated. */
function turnOf(message: ChatMessage): Pick<RequestView, 'role' | 'offered'> | undefined {
  const line = message.role === 'user' ? [...message.content.matchAll(turnLine)].at(-1) : undefined;
  if (!line) return undefined;
  const content = message.content ?? '';
  // The turn's own lines may repeat the question, which may contain anything.
  const start = content.lastIndexOf(FORM_START);
  const form = start > line.index ? content.slice(start) : '';
  return { role: line[1]!, offered: [...form.matchAll(offeredAction)].map(([, action]) => action!) };
}

/** Removes this turn's instruction and a second try's hint, which may share a message with earlier text. */
function withoutInstruction(content: string): string {
  const turn = [...content.matchAll(turnLine)].at(-1)?.index ?? content.length;
  const hint = content.lastIndexOf(`\n\n${HINT_LINE}\n`, turn);
  return content.slice(0, hint < 0 ? turn : hint);
}
