import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonValue, safeParseJson } from '../../base/json.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { traceSchema } from '../../schemas/trace.ts';
import { trajectorySchema } from '../../schemas/trajectory.ts';
import { measureQuality } from '../../stages/convert/measureQuality.ts';
import { importDatasetRow, readOneAnswer } from '../../teachers/importers/importDatasetRow.ts';
import { RowRefusal } from '../../teachers/importers/rowRefusal.ts';
import { cases } from '../support/cases.ts';
import { fixtureRows, importValue } from './importing.ts';

const afm = { profiles: Object.values(builtinProfiles), systemPrompt: 's', measureQuality };
const importers = {
  atif: (value: JsonValue) => traceSchema.parse(importValue('atif', value, { profile: 'mhqa' })),
  adp: (value: JsonValue) => traceSchema.parse(importValue('adp', value, { profile: 'mhqa' })),
  openai: (value: JsonValue) => traceSchema.parse(importValue('openai', value, { profile: 'mhqa' })),
  afm: (value: JsonValue) => trajectorySchema.parse(importDatasetRow(readOneAnswer(value), afm).trajectory),
};
const fixtures = {
  atif: await fixtureRows('mhqa.atif.json'),
  adp: await fixtureRows('two.adp.jsonl'),
  openai: await fixtureRows('one.openai.jsonl'),
  afm: [
    {
      instruction: 'i',
      input: 'Question: q',
      output: '<plan>p</plan>\n<think>t</think>\n<answer>a</answer>',
    },
  ],
} satisfies Record<string, JsonValue[]>;
const formats = Object.keys(importers) as (keyof typeof importers)[];

/** What an import may come to: a record of the schema, or a refusal that says why. */
function importsOrRefuses(format: keyof typeof importers, value: JsonValue): void {
  try {
    expect(importers[format](value)).toBeDefined();
  } catch (error) {
    if (!(error instanceof RowRefusal)) throw error;
    expect(error.message).not.toBe('');
    expect(error.code).not.toBe('');
  }
}

const anyJson = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<JsonValue>,
  fc.constantFrom<JsonValue>(
    null,
    '',
    '<plan>',
    '<answer>x</answer>',
    -1,
    Number.POSITIVE_INFINITY,
    [],
    {},
    '\ud800',
    'A\u0301\0',
  ),
);

describe.each(formats)('%s', (format) => {
  test('takes any JSON as a row: a record or a refusal', () => {
    fc.assert(
      fc.property(anyJson, (value) => importsOrRefuses(format, value)),
      { numRuns: 500 },
    );
  });

  test('takes its fixture with anything changed anywhere', () => {
    const changed = fc
      .tuple(fc.constantFrom(...(fixtures[format] as JsonValue[])), fc.nat(), anyJson, fc.boolean())
      .map(([row, place, value, removes]) => withChange(row, place, removes ? undefined : value));
    fc.assert(
      fc.property(changed, (value) => importsOrRefuses(format, value)),
      { numRuns: cases(1_500) },
    );
  });
});

/** The row with the value at one of its places replaced, or removed. */
function withChange(row: JsonValue, place: number, value: JsonValue | undefined): JsonValue {
  const copy = structuredClone(row);
  const places: [holder: Record<string, JsonValue | undefined>, key: string][] = [];
  const visit = (holder: JsonValue): void => {
    if (holder === null || typeof holder !== 'object') return;
    for (const key of Object.keys(holder)) {
      const owner = holder as Record<string, JsonValue | undefined>;
      places.push([owner, key]);
      visit(owner[key] ?? null);
    }
  };
  visit(copy);
  const [holder, key] = places[place % places.length]!;
  holder[key] = value;
  const parsed = safeParseJson(JSON.stringify(copy));
  return parsed.ok ? parsed.value : null;
}
