import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { knownLayouts, type RowText, rowText } from '../../output/lint/read/rowText.ts';
import { BadRow } from './badRow.ts';
import type { SourceRow } from './sourceRow.ts';

/** A row's columns. Throws `BadRow` for a row that is no JSON object. */
export function rowValue({ parsed }: SourceRow): JsonObject {
  if ('problem' in parsed) throw new BadRow(parsed.problem);
  if (isJsonObject(parsed.value)) return parsed.value;
  throw new BadRow('expected an object of columns');
}

/** The trajectory's text in a row. Throws `BadRow` for a row of no known layout. */
export function rowTrajectoryText(row: SourceRow): RowText {
  const found = rowText(rowValue(row));
  if (found) return found;
  throw new BadRow(`expected ${knownLayouts}`);
}
