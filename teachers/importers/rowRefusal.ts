import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { DropReason } from '../../schemas/dropReasons.ts';
import { pathText } from '../../schemas/rows/rowCodec.ts';

/** Reason for refusing a row, see the table of drop reasons. */
type RefusalReason = Extract<DropReason, 'malformed_row' | 'ambiguous_row' | 'unsupported_row'>;

/** Refusal codes, finer than their reasons, with the problem. Schemas and grammars add others. */
const refusals = {
  bad_arguments: ['malformed_row', 'the arguments of the call are not of its form'],
  bad_body: ['malformed_row', 'the words are not of the kind that the tag holds'],
  call_without_result: ['malformed_row', 'the call has no result'],
  missing_end_tag: ['malformed_row', 'a start mark is never closed'],
  result_in_agent_turn: ['malformed_row', 'the agent itself writes what only a result begins with'],
  result_without_call: ['malformed_row', 'no earlier call waits for this result'],
  second_result: ['malformed_row', 'the call has a result already'],
  unexpected_end_tag: ['malformed_row', 'an end mark closes nothing'],
  more_results_than_calls: ['ambiguous_row', 'more results than calls that wait for one'],
  one_result_for_calls: ['ambiguous_row', 'nothing says which part of the result is that of which call'],
  failed_run: ['unsupported_row', 'the run ended without an answer of its own'],
  model_refused: ['unsupported_row', 'the model refused to answer'],
  no_agent: ['unsupported_row', 'no agent says or does anything'],
  no_answer: ['unsupported_row', 'expected a row with one answer'],
  no_messages: ['unsupported_row', 'no column holds messages'],
  no_profile: ['unsupported_row', 'nothing says under which profile to read it'],
  no_question: ['unsupported_row', 'nothing says what was asked'],
  second_user_message: [
    'unsupported_row',
    'a trajectory answers one question, but the user speaks again here',
  ],
  session_log: ['unsupported_row', 'each line is an event of a session, not a conversation'],
  text_after_answer: ['unsupported_row', 'something follows the answer'],
  tool_in_text: ['unsupported_row', 'a tool’s tag stands in a text; expected a tool call with its result'],
  unknown_arguments: ['unsupported_row', 'no argument of the call says what was asked'],
  unmapped_tool: ['unsupported_row', 'no tag of the profile is known for the tool'],
  unnamed_message: [
    'unsupported_row',
    'nothing says which agent speaks here: it calls no tool, is not the last one and holds no tags',
  ],
  unread_part: ['unsupported_row', 'a part of this type is not read'],
} as const satisfies Record<string, readonly [RefusalReason, string]>;

/** Thrown if a row cannot be imported; it becomes a ledger entry. */
export class RowRefusal extends Error {
  override readonly name = 'RowRefusal';
  readonly reason: RefusalReason;
  /** Refusal code, finer than the reason, used for counting in reports. */
  readonly code: string;
  /** Path of the offending field, such as `steps[2].step_id`; empty for the whole row. */
  readonly path: string;
  /** Further evidence. */
  readonly evidence: JsonObject;

  constructor(reason: RefusalReason, code: string, path: string, message: string, evidence: JsonObject = {}) {
    super(message);
    this.reason = reason;
    this.code = code;
    this.path = path;
    this.evidence = evidence;
  }
}

/**
 * Creates a refusal from the table.
 * @param detail what was found, or what to do
 */
export function refusal(
  code: keyof typeof refusals,
  path: string,
  detail = '',
  evidence: JsonObject = {},
): RowRefusal {
  const [reason, message] = refusals[code];
  return new RowRefusal(reason, code, path, detail === '' ? message : `${message}; ${detail}`, evidence);
}

/** Creates a refusal with a code of the row's format or grammar. */
export function malformed(code: string, path: string, message: string): RowRefusal {
  return new RowRefusal('malformed_row', code, path, message);
}

/**
 * Parses a row by its format's schema.
 * @throws RowRefusal (`malformed_row`) naming the path of the first field that is wrong, the deepest one where a field
 * may be one of several kinds
 */
export function parseRow<T>(schema: z.ZodType<T>, value: JsonValue): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, code, message } = tellingIssue(parsed.error.issues, []);
  throw malformed(code, pathText(path), message);
}

type TellingIssue = Pick<z.core.$ZodIssue, 'path' | 'message'> & { readonly code: string };

function tellingIssue(issues: readonly z.core.$ZodIssue[], before: readonly PropertyKey[]): TellingIssue {
  const issue = issues[0]!;
  const path = [...before, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return { path: [...path, issue.keys[0]!], code: 'unknown_key', message: 'the format has no such key' };
  if (issue.code === 'invalid_union') {
    const inner = issue.errors
      .filter((branch) => branch.length > 0)
      .map((branch) => tellingIssue(branch, path))
      .sort((a, b) => b.path.length - a.path.length)[0];
    if (inner && inner.path.length > path.length) return inner;
  }
  return { path, code: issue.code === 'custom' ? 'broken_rule' : issue.code, message: issue.message };
}
