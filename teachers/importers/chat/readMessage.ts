import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import {
  type CalledFunction,
  type ChatContent,
  type ChatSpeaker,
  chatContentSchema,
  chatRoles,
  type OpenaiMessage,
  partKinds,
  readFields,
  thoughtFields,
} from '../../../schemas/interchange/openaiChat.ts';
import { refusal } from '../rowRefusal.ts';
import type { RowRemarks } from '../rowRemarks.ts';
import { type AskedCall, fieldCall } from './askedCall.ts';
import { jsonForm } from './writtenCall.ts';

/** A result in its own message or part. */
export interface FieldResult {
  readonly path: string;
  /** Calls that it answers; undefined if not stated. */
  readonly ids?: readonly string[] | undefined;
  /** Path of the ids. */
  readonly idsPath?: string;
  /** Function that returned it; undefined if not stated. */
  readonly name?: string | undefined;
  readonly texts: readonly string[];
  /** True if the result is marked as an error. */
  readonly isError?: boolean;
}

/** Content of a message in written order. */
export type MessagePiece =
  | { readonly kind: 'text' | 'think' | 'answer'; readonly body: string }
  | { readonly kind: 'call'; readonly call: AskedCall }
  | { readonly kind: 'result'; readonly result: FieldResult };

/** A message and its place in the row, independent of the names of roles, fields and parts. */
export interface ReadMessage {
  readonly path: string;
  readonly role: ChatSpeaker;
  readonly pieces: readonly MessagePiece[];
  readonly message: OpenaiMessage;
  /** Fields that are not read. */
  readonly kept: JsonObject;
}

/**
 * Reads a message: thoughts, text, calls and results from its fields and content parts.
 * @throws RowRefusal for a part that is not read, see `RowRemarks.unread`, and for an answer that the model refused
 */
export function readMessage(message: OpenaiMessage, path: string, remarks: RowRemarks): ReadMessage {
  const role = chatRoles[message.role];
  const { content } = message;
  const reader = new MessageReader(path, remarks);
  const pieces =
    role === 'tool'
      ? [reader.result(message)]
      : role === 'call' && typeof content === 'string'
        ? jsonCalls(content, path)
        : reader.pieces(message);
  // An empty user turn may be a tool's result.
  if (role === 'user' && pieces.length === 0) pieces.push({ kind: 'text', body: '' });
  const kept = Object.entries(message).filter(([key]) => !readFields.has(key));
  return { path, role, pieces, message, kept: Object.fromEntries(kept) as JsonObject };
}

/** Text of a message, without thoughts, calls and results. */
export function wordsOf({ pieces }: Pick<ReadMessage, 'pieces'>): string {
  return pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.body] : [])).join('\n');
}

type Part = { readonly type: string } & JsonObject;

class MessageReader {
  readonly #path: string;
  readonly #remarks: RowRemarks;

  constructor(path: string, remarks: RowRemarks) {
    this.#path = path;
    this.#remarks = remarks;
  }

  pieces(message: OpenaiMessage): MessagePiece[] {
    const { content, refusal: refused, tool_calls, function_call } = message;
    if (refused) throw refusal('model_refused', `${this.#path}.refusal`);
    const thought = this.#thought(message);
    const call = (field: string, { name, arguments: given }: CalledFunction, id?: string | null) =>
      callPiece({ path: `${this.#path}.${field}`, id: id ?? undefined, name, given: this.#given(given) });
    return [
      ...(thought === '' ? [] : [{ kind: 'think' as const, body: thought }]),
      ...joinedTexts(this.#parts(content, `${this.#path}.content`)),
      ...(tool_calls ?? []).map(({ id, function: called }, at) => call(`tool_calls[${at}]`, called, id)),
      ...(function_call ? [call('function_call', function_call)] : []),
    ];
  }

  result({ content, name, tool_call_id, tool_call_ids }: OpenaiMessage): MessagePiece {
    const ids = tool_call_ids ?? tool_call_id;
    const result = {
      path: this.#path,
      ids: ids == null ? undefined : [ids].flat(),
      idsPath: `${this.#path}.tool_call_id${tool_call_ids ? 's' : ''}`,
      name: name ?? undefined,
      texts: this.#texts(content, `${this.#path}.content`),
    };
    return { kind: 'result', result };
  }

  /** Arguments in JSON text are the model's own, nulls included. */
  #given(given: JsonValue | null | undefined): JsonValue | undefined {
    return given == null ? undefined : this.#remarks.withoutNulls(given);
  }

  /** Thought of a message; several set fields have the same content, and the first is read. */
  #thought(message: OpenaiMessage): string {
    for (const field of thoughtFields) {
      const value = message[field];
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

  #parts(content: ChatContent | null | undefined, path: string): MessagePiece[] {
    if (content == null || content === '') return [];
    if (typeof content === 'string') return [{ kind: 'text', body: content }];
    return content.flatMap((part, at) => this.#part(part as Part, `${path}[${at}]`));
  }

  #part(part: Part, path: string): MessagePiece[] {
    const { type, id, name, input } = part;
    const kind = Object.hasOwn(partKinds, type) ? partKinds[type as keyof typeof partKinds] : undefined;
    const body = part.text ?? part.thinking ?? part.value;
    if ((kind === 'text' || kind === 'think') && typeof body === 'string') return [{ kind, body }];
    if (kind === 'calls' && typeof body === 'string') return jsonCalls(body, path);
    if (kind === 'call' && typeof name === 'string')
      return [
        callPiece({ path, id: typeof id === 'string' ? id : undefined, name, given: this.#given(input) }),
      ];
    if (kind === 'result') return [{ kind, result: this.#resultPart(part, path) }];
    if (kind === 'refusal') throw refusal('model_refused', `${this.#path}.content`);
    if (kind === 'encrypted') this.#remarks.add('encrypted_reasoning_left_out');
    else this.#remarks.unread(type, path);
    return [];
  }

  #resultPart({ tool_use_id: id, name, content, is_error }: Part, path: string): FieldResult {
    const parsed = chatContentSchema.nullish().safeParse(content);
    if (!parsed.success) this.#remarks.unread('tool_result', path);
    const texts = this.#texts(parsed.data, `${path}.content`);
    const ids = typeof id === 'string' ? [id] : undefined;
    const given = { name: typeof name === 'string' ? name : undefined, isError: is_error === true };
    return { path, ids, idsPath: `${path}.tool_use_id`, texts, ...given };
  }

  #texts(content: ChatContent | null | undefined, path: string): string[] {
    if (typeof content === 'string') return [content];
    return this.#parts(content, path).map((piece, at) => {
      if (piece.kind === 'text') return piece.body;
      this.#remarks.unread(piece.kind, `${path}[${at}]`);
      return '';
    });
  }
}

function callPiece(call: Parameters<typeof fieldCall>[0]): MessagePiece {
  return { kind: 'call', call: fieldCall(call) };
}

/** A call, or a list of calls, as JSON. */
function jsonCalls(text: string, path: string): MessagePiece[] {
  const parsed = safeParseJson(text);
  const calls: JsonValue[] = parsed.ok ? [parsed.value].flat() : [null];
  return calls.map((call, nth) => {
    const where = `${path}.call[${nth}]`;
    const { name, arguments: given } = isJsonObject(call) ? call : {};
    if (typeof name === 'string') return callPiece({ path: where, name, given });
    const found = JSON.stringify(text.slice(0, 80));
    throw refusal('bad_arguments', where, `expected ${jsonForm}, got ${found}`);
  });
}

/** Joins adjacent texts, so that marks may span several. */
function joinedTexts(pieces: readonly MessagePiece[]): MessagePiece[] {
  const joined: MessagePiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.kind !== 'text' || last?.kind !== 'text') joined.push(piece);
    else joined.splice(-1, 1, { kind: 'text', body: `${last.body}\n${piece.body}` });
  }
  return joined;
}
