import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import {
  type CalledFunction,
  type ChatContent,
  chatContentSchema,
  chatRoles,
  type OpenaiMessage,
} from '../../../schemas/interchange/openaiChat.ts';
import { RowRefusal } from '../rowRefusal.ts';
import type { RowRemarks } from '../rowRemarks.ts';

/** A call that stands in a field or a part of a message. */
export interface FieldCall {
  readonly path: string;
  readonly id: string | undefined;
  readonly name: string;
  /** The arguments as they stand there. */
  readonly given: JsonValue | undefined;
}

/** What came back, in a message or a part of its own. */
export interface FieldResult {
  readonly path: string;
  /** The calls that it answers; undefined where it doesn't say. */
  readonly ids: readonly string[] | undefined;
  /** Where the ids stand. */
  readonly idsPath: string;
  /** The function that gave it; undefined where it doesn't say. */
  readonly name: string | undefined;
  readonly texts: readonly string[];
  /** True where the result itself says that the call failed. */
  readonly isError: boolean;
}

/** What a message says, in the order in which it was written. */
export type MessagePiece =
  | { readonly kind: 'text' | 'think'; readonly body: string }
  | { readonly kind: 'call'; readonly call: FieldCall }
  | { readonly kind: 'result'; readonly result: FieldResult };

/** A message with its place in the row, whatever its roles, fields and parts are called. */
export interface ReadMessage {
  readonly path: string;
  readonly role: (typeof chatRoles)[keyof typeof chatRoles];
  readonly pieces: readonly MessagePiece[];
  readonly message: OpenaiMessage;
  /** Fields that are not read. */
  readonly kept: JsonObject;
}

/** Fields of thoughts; where several are set they say the same, and the first is read. */
const thoughtFields = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'] as const;
const readFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'function_call',
  ...thoughtFields,
]);

/**
 * Reads a message: thoughts, words, calls and results from its fields and the parts of its content.
 *
 * @throws RowRefusal for a part that is not read, see `RowRemarks.unread`, and for an answer that the model refused
 */
export function readMessage(message: OpenaiMessage, path: string, remarks: RowRemarks): ReadMessage {
  const role = chatRoles[message.role];
  const kept = Object.fromEntries(Object.entries(message).filter(([key]) => !readFields.has(key)));
  const reader = new MessageReader(message, path, remarks);
  const pieces = role === 'tool' ? [reader.result()] : role === 'call' ? reader.calls() : reader.pieces();
  // An empty turn of a user may be what a tool gave.
  if (role === 'user' && pieces.length === 0) pieces.push({ kind: 'text', body: '' });
  return { path, role, pieces, message, kept: kept as JsonObject };
}

/** The words of a message, without its thoughts, calls and results. */
export function wordsOf({ pieces }: Pick<ReadMessage, 'pieces'>): string {
  return pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.body] : [])).join('\n');
}

class MessageReader {
  readonly #message: OpenaiMessage;
  readonly #path: string;
  readonly #remarks: RowRemarks;

  constructor(message: OpenaiMessage, path: string, remarks: RowRemarks) {
    this.#message = message;
    this.#path = path;
    this.#remarks = remarks;
  }

  pieces(): MessagePiece[] {
    const { content, refusal } = this.#message;
    if (refusal) throw this.#refused('refusal');
    const thought = this.#thought();
    return [
      ...(thought === '' ? [] : [{ kind: 'think' as const, body: thought }]),
      ...joinedTexts(this.#parts(content, `${this.#path}.content`)),
      ...this.#fieldCalls(),
    ];
  }

  /** A message that is nothing but calls. */
  calls(): MessagePiece[] {
    const { content } = this.#message;
    return typeof content === 'string' ? writtenCalls(content, this.#path) : this.pieces();
  }

  result(): MessagePiece {
    const { content, name, tool_call_id, tool_call_ids } = this.#message;
    const ids = tool_call_ids ?? tool_call_id;
    const where = tool_call_ids ? 'tool_call_ids' : 'tool_call_id';
    const result = {
      path: this.#path,
      ids: ids == null ? undefined : [ids].flat(),
      idsPath: `${this.#path}.${where}`,
      name: name ?? undefined,
      texts: this.#texts(content, `${this.#path}.content`),
      isError: false,
    };
    return { kind: 'result', result };
  }

  #thought(): string {
    for (const field of thoughtFields) {
      const value = this.#message[field];
      const texts = typeof value === 'string' ? [value] : (value ?? []).map((each) => this.#detail(each));
      if (texts.some((text) => text !== '')) return texts.join('');
    }
    return '';
  }

  #detail({ text, summary }: NonNullable<OpenaiMessage['reasoning_details']>[number]): string {
    const thought = text ?? summary;
    if (thought == null) this.#remarks.add('encrypted_reasoning_left_out');
    return thought ?? '';
  }

  #fieldCalls(): MessagePiece[] {
    const { tool_calls, function_call } = this.#message;
    const call = (path: string, id: string | null | undefined, called: CalledFunction): MessagePiece => ({
      kind: 'call',
      call: { path, id: id ?? undefined, name: called.name, given: called.arguments },
    });
    return [
      ...(tool_calls ?? []).map(({ id, function: called }, nth) =>
        call(`${this.#path}.tool_calls[${nth}]`, id, called),
      ),
      ...(function_call ? [call(`${this.#path}.function_call`, undefined, function_call)] : []),
    ];
  }

  #parts(content: ChatContent | null | undefined, path: string): MessagePiece[] {
    if (content == null || typeof content === 'string')
      return content ? [{ kind: 'text', body: content }] : [];
    return content.flatMap((part, at) => this.#part(part as Part, `${path}[${at}]`));
  }

  /** Types of OpenAI's chats and responses, of Anthropic's messages, and of LLaMA-Factory's (with `value`). */
  #part(part: Part, path: string): MessagePiece[] {
    const { type } = part;
    const body = part.text ?? part.thinking ?? part.value;
    if (typeof body === 'string' && textTypes.has(type)) return [{ kind: 'text', body }];
    if (typeof body === 'string' && thoughtTypes.has(type)) return [{ kind: 'think', body }];
    if (typeof body === 'string' && type === 'tool_call') return writtenCalls(body, path);
    if (typeof part.name === 'string' && type === 'tool_use') {
      const id = typeof part.id === 'string' ? part.id : undefined;
      return [{ kind: 'call', call: { path, id, name: part.name, given: part.input } }];
    }
    if (type === 'tool_result') return [{ kind: 'result', result: this.#resultPart(part, path) }];
    if (type === 'redacted_thinking') this.#remarks.add('encrypted_reasoning_left_out');
    else if (type === 'refusal') throw this.#refused('content');
    else this.#remarks.unread(type, path);
    return [];
  }

  #resultPart({ tool_use_id: id, content, is_error }: Part, path: string): FieldResult {
    const parsed = chatContentSchema.nullish().safeParse(content);
    if (!parsed.success) this.#remarks.unread('tool_result', path);
    return {
      path,
      ids: typeof id === 'string' ? [id] : undefined,
      idsPath: `${path}.tool_use_id`,
      name: undefined,
      texts: this.#texts(parsed.data, `${path}.content`),
      isError: is_error === true,
    };
  }

  #texts(content: ChatContent | null | undefined, path: string): string[] {
    if (typeof content === 'string') return [content];
    return this.#parts(content, path).map((piece, at) => {
      if (piece.kind !== 'text') this.#remarks.unread(piece.kind, `${path}[${at}]`);
      return piece.kind === 'text' ? piece.body : '';
    });
  }

  #refused(field: string): RowRefusal {
    const path = `${this.#path}.${field}`;
    return new RowRefusal('unsupported_row', 'model_refused', path, 'the model refused to answer');
  }
}

type Part = { readonly type: string } & JsonObject;

const textTypes: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text']);
const thoughtTypes: ReadonlySet<string> = new Set(['thinking', 'reasoning']);

/** A call, or a list of calls, as JSON. */
function writtenCalls(text: string, path: string): MessagePiece[] {
  const parsed = safeParseJson(text);
  const calls = parsed.ok ? [parsed.value].flat() : [null];
  return calls.map((call, nth) => {
    const where = `${path}.call[${nth}]`;
    const { name, arguments: given } = isJsonObject(call) ? call : {};
    if (typeof name === 'string') return { kind: 'call', call: { path: where, id: undefined, name, given } };
    throw new RowRefusal(
      'malformed_row',
      'bad_arguments',
      where,
      `expected {"name": ..., "arguments": {...}}, got ${JSON.stringify(text.slice(0, 80))}`,
    );
  });
}

/** Texts next to one another as one, so that marks may stand around several. */
function joinedTexts(pieces: readonly MessagePiece[]): MessagePiece[] {
  const joined: MessagePiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text')
      joined[joined.length - 1] = { kind: 'text', body: `${last.body}\n${piece.body}` };
    else joined.push(piece);
  }
  return joined;
}
