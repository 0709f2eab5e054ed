import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { DropReason } from '../../schemas/outcome.ts';

/** Why a row is refused, see the table of drop reasons. */
export type RefusalReason = Extract<DropReason, 'malformed_row' | 'ambiguous_row' | 'unsupported_row'>;

/** Thrown where a row can't be imported; it becomes an entry of the ledger. */
export class RowRefusal extends Error {
  override readonly name = 'RowRefusal';
  readonly reason: RefusalReason;
  /** The kind of refusal, finer than the reason: what reports count by. */
  readonly code: string;
  /** Place of the offending field, such as `steps[2].step_id`; empty for the row as a whole. */
  readonly path: string;
  /** What helps to understand it besides. */
  readonly evidence: JsonObject;

  constructor(reason: RefusalReason, code: string, path: string, message: string, evidence: JsonObject = {}) {
    super(message);
    this.reason = reason;
    this.code = code;
    this.path = path;
    this.evidence = evidence;
  }
}

/** Keys and places as people write them: `steps[2].tool_calls[0].arguments`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`;
      const name = String(key);
      if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name)}]`;
      return at === 0 ? name : `.${name}`;
    })
    .join('');
}

/**
 * A row as its format's schema reads it.
 *
 * @throws RowRefusal (`malformed_row`) naming the path of the first field that is wrong, the deepest one where a field
 * may be one of several kinds
 */
export function parseRow<T>(schema: z.ZodType<T>, value: JsonValue): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, code, message } = tellingIssue(parsed.error.issues, []);
  throw new RowRefusal('malformed_row', code, pathText(path), message);
}

interface TellingIssue {
  readonly path: readonly PropertyKey[];
  readonly code: string;
  readonly message: string;
}

function tellingIssue(issues: readonly z.core.$ZodIssue[], before: readonly PropertyKey[]): TellingIssue {
  const issue = issues[0]!;
  const path = [...before, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return { path: [...path, issue.keys[0]!], code: 'unknown_key', message: 'the format has no such key' };
  }
  if (issue.code === 'invalid_union') {
    const inner = issue.errors
      .filter((branch) => branch.length > 0)
      .map((branch) => tellingIssue(branch, path))
      .sort((a, b) => b.path.length - a.path.length)[0];
    if (inner && inner.path.length > path.length) return inner;
  }
  return { path, code: issue.code === 'custom' ? 'broken_rule' : issue.code, message: issue.message };
}
