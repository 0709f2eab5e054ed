import fc from 'fast-check';

const value = fc.oneof(
  fc.json({ maxDepth: 3 }).map((json): unknown => JSON.parse(json)),
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(fc.webUrl(), fc.string({ unit: 'grapheme' })), { maxLength: 7 }),
  fc.integer({ min: -1, max: 101 }),
);

/** Bodies with members that an endpoint knows by these names, any other JSON, and any bytes. */
export function anyBody(names: readonly string[]): fc.Arbitrary<string | Uint8Array> {
  return fc.oneof(
    fc
      .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 })
      .map(
        (members) =>
          `{${members.map(([key, of]) => `${JSON.stringify(key)}:${JSON.stringify(of)}`).join(',')}}`,
      ),
    fc.json(),
    fc.jsonValue().map((json) => JSON.stringify(json)),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 300 }),
  );
}

/** Nested deeper than a parser that calls itself can go; the second one alone is JSON. */
export const deepValues = [
  '['.repeat(500_000),
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  '{"a":'.repeat(100_000),
];
