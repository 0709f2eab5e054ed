import { isJsonObject, type JsonValue } from '../../../base/json.ts';
import type { FileRow } from '../../../base/rows/fileRow.ts';
import { messageKeys } from './messageLayouts.ts';

/** Joins messages that stand as rows of their own into one row: a file that is a bare list of them is one conversation. */
export async function* joinMessages(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow> {
  let conversation: (FileRow & { readonly value: JsonValue[] }) | undefined;
  for await (const row of rows) {
    if ('value' in row && isMessage(row.value)) {
      if (conversation) conversation.value.push(row.value);
      else conversation = { ...row, value: [row.value] };
      continue;
    }
    if (conversation) yield conversation;
    conversation = undefined;
    yield row;
  }
  if (conversation) yield conversation;
}

function isMessage(value: JsonValue): boolean {
  if (!isJsonObject(value) || messageKeys.some((key) => value[key] !== undefined)) return false;
  return typeof (value.role ?? value.from) === 'string';
}
