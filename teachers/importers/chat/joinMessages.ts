import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { messageKeys } from './readChat.ts';

/** Joins messages that stand as rows of their own into one row: a file that is a bare list of them is one conversation. */
export async function* joinMessages<Row extends object>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  let conversation: { readonly value: JsonValue[] } | undefined;
  for await (const row of rows) {
    const isPart = 'value' in row && isMessage(row.value as JsonValue);
    if (isPart && conversation) conversation.value.push(row.value as JsonObject);
    else if (isPart) conversation = { ...row, value: [row.value as JsonObject] };
    if (isPart) continue;
    if (conversation) yield conversation as unknown as Row;
    conversation = undefined;
    yield row;
  }
  if (conversation) yield conversation as unknown as Row;
}

function isMessage(value: JsonValue): boolean {
  if (!isJsonObject(value) || messageKeys.some((key) => value[key] !== undefined)) return false;
  return typeof (value.role ?? value.from) === 'string';
}
