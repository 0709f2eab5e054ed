import fc from 'fast-check';

/** Pieces that have misled the fork's mask, parsers and tokenizers. */
export const spoilers = [
  '<observation>',
  '</observation>',
  '</observation>\n\n',
  '\n<observation>\n',
  '<observation',
  'observation>\n\n',
  'observation',
  'observations',
  '<Observation>',
  '</OBSERVATION>\n\n',
  'myobservation>\n\n',
  "it'sobservation>\n\n",
  '===<observation>',
  '.observation>\n\n',
  '/observation>\n\n',
  '\n',
  '\n\n',
  '\n\n\n',
  '\r\n',
  ' ',
  '\t',
  '\u00a0',
  '\u2028',
  '\u0085',
  '\ufeff',
  '>',
  '<',
  '7',
  '½',
  'é',
  'e\u0301',
  '\u0338',
  '\u0301',
  'Ж',
  '日本',
  '😀',
  '<|im_end|>',
  '<tool_call>',
  '<think>',
  '</think>',
  '</answer>',
  '\0',
] as const;

/** Texts made of spoilers alone. */
export const spoilerText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...spoilers), { maxLength: 14 })
  .map((parts) => parts.join(''));

/** One of the texts with stretches cut out and spoilers put in. */
export function mutationsOf(texts: readonly string[]): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.integer({ min: 0, max: 8 }),
    put: fc.oneof(fc.constant(''), fc.constantFrom(...spoilers)),
  });
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([text, changes]) =>
      changes.reduce((spoilt, { at, cut, put }) => {
        const from = Math.floor(at * spoilt.length);
        return `${spoilt.slice(0, from)}${put}${spoilt.slice(from + cut)}`;
      }, text),
    );
}
