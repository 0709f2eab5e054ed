import { contentId, sha256Hex } from '../../base/ids.ts';
import { isJsonObject } from '../../base/json.ts';
import type { SourceRow } from './sourceRow.ts';

/** Names a row in the ledger. */
export interface RowIdentity {
  /** The row's own id, or the hash of what it holds. */
  readonly id: string;
  /** The task that it comes from; its own id where it names none. */
  readonly task_id: string;
}

/** The id of a row that names none: a hash of what stands in it, so that it does not depend on the row's place. */
export function rowId({ bytes, parsed }: Pick<SourceRow, 'bytes' | 'parsed'>): string {
  const isParquet = bytes.length === 0 && 'value' in parsed;
  return contentId('row', isParquet ? parsed.value : sha256Hex(bytes));
}

/** What the ledger calls a row: its own `id` and `task_id` where it has them. */
export function rowIdentity(row: SourceRow): RowIdentity {
  const value = 'value' in row.parsed && isJsonObject(row.parsed.value) ? row.parsed.value : {};
  const id = textOf(value.id) ?? rowId(row);
  return { id, task_id: textOf(value.task_id) ?? id };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
