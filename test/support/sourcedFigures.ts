import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { isJsonObject, type JsonValue } from '../../base/json.ts';

/** The commit of OPPO-PersonalAI/Agent_Foundation_Models that sources name lines of. */
export const AFM_COMMIT = '8f94516';

/** Lines of AFM's repository at that commit and statements of its paper, by place. */
const statements: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../fixtures/afmStatements.json', import.meta.url), 'utf8'),
);

/**
 * A figure that we call AFM's or the paper's: our key, its value, and where it stands: `script:line`, with the line behind
 * a comma that hands a variable on; `paper 4.1`; whose default it is; or why it is ours.
 */
export type SourcedFigure = readonly [key: string, value: JsonValue, source: string];

/** Checks what we have against its sources: every leaf has a source and its value, and no source is left over. */
export function expectSourced(ours: JsonValue, figures: readonly SourcedFigure[]): void {
  expect(leavesOf(ours)).toEqual(Object.fromEntries(figures.map(([key, value]) => [key, value])));
  for (const [key, value, source] of figures) {
    expectSource(source, key);
    expectStated(source, key, value);
  }
}

/** Looks the figure up in what AFM says at the named place: a number as such, or as a product; a text word for word. */
function expectStated(source: string, key: string, value: JsonValue): void {
  const isOfBenchmark = /^(?:judge|metric|samples|sampling|alone)\b/.test(key);
  const place = (isOfBenchmark ? /^(?:[\w./-]+:\d+|paper \d+(?:\.\d+)+)/ : /^[\w./-]+:\d+/).exec(source)?.[0];
  if (place === undefined) return;
  const stated = statements[place] ?? '';
  expect(stated, `${key}: ${place} is not in afmStatements.json`).not.toBe('');
  if (typeof value === 'number') expect(numbersIn(stated), `${key}: ${stated}`).toContain(value);
  if (typeof value === 'string' && /^(?:judge|model)$/.test(key))
    expect(stated, key).toContain(value.replace(/^.*\//, ''));
}

function numbersIn(text: string): number[] {
  const products = [...text.matchAll(/\$\(\((\d+) \* (\d+)\)\)/g)].map(([, a, b]) => Number(a) * Number(b));
  const numbers = [...text.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\w)/gi)].map(([text]) =>
    Number(text),
  );
  const devices = /CUDA_VISIBLE_DEVICES=([\d,]+)/.exec(text)?.[1]?.split(',').length;
  return [...products, ...numbers, ...(devices === undefined ? [] : [devices])];
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
