import { expect } from 'vitest';
import { isJsonObject, type JsonValue } from '../../base/json.ts';

/** The commit of OPPO-PersonalAI/Agent_Foundation_Models that sources name lines of. */
export const AFM_COMMIT = '8f94516';

/**
 * A figure that we call AFM's or the paper's: our key, its value, and where it stands: `script:line`, with the line behind
 * a comma that hands a variable on; `paper 4.1`; whose default it is; or why it is ours.
 */
export type SourcedFigure = readonly [key: string, value: JsonValue, source: string];

/** Checks what we have against its sources: every leaf has a source and its value, and no source is left over. */
export function expectSourced(ours: JsonValue, figures: readonly SourcedFigure[]): void {
  expect(leavesOf(ours)).toEqual(Object.fromEntries(figures.map(([key, value]) => [key, value])));
  for (const [key, , source] of figures) expectSource(source, key);
}

export function expectSource(source: string, of: string): void {
  expect(source, of).toMatch(
    /^(?:[\w./-]+\.(?:py|sh|md|yaml):\d+(?:[-,]\d+)?|(?:paper|default of|ours:) .+)$/,
  );
}

function leavesOf(value: JsonValue, path = ''): Record<string, JsonValue> {
  if (!isJsonObject(value)) return { [path]: value };
  const below = Object.entries(value).map(([key, held]) =>
    leavesOf(held as JsonValue, path === '' ? key : `${path}.${key}`),
  );
  return Object.assign({}, ...below);
}
