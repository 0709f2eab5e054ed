import fc from 'fast-check';
import { Tokenizer as HuggingFace } from 'tokenizers';
import { expect, test } from 'vitest';
import { AddedTokens } from '../../../output/rows/addedTokens.ts';
import { isEscapable } from '../../../output/rows/specialTokenEscaper.ts';
import { loadTokenizer } from '../../../output/tokenizers/loadTokenizer.ts';
import { cases } from '../../support/cases.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { writeTinyTokenizer } from '../support/tinyTokenizer.ts';

const character = fc.constantFrom('<', 'a', 'b');
const tokens = fc.uniqueArray(
  fc.record({
    content: fc.string({ unit: character, minLength: 2, maxLength: 4 }).filter(isEscapable),
    normalized: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5, selector: ({ content }) => content },
);
const text = fc.string({ unit: character, maxLength: 24 });

test('are found where Hugging Face’s tokenizers find them: overlapping, within one another, in two passes', async () => {
  const folder = temporaryFolder();
  let found = 0;
  await fc.assert(
    fc.asyncProperty(tokens, fc.array(text, { minLength: 5, maxLength: 5 }), async (added, texts) => {
      const file = await writeTinyTokenizer(folder, { addedTokens: added });
      const reference = HuggingFace.fromFile(file);
      const tokenizer = await loadTokenizer(file);
      const finder = new AddedTokens(tokenizer);
      for (const each of texts) {
        const encoding = await reference.encode(each, null, { addSpecialTokens: false });
        const expected = encoding.getIds().flatMap((id, at) => {
          const content = added[id - 256]?.content;
          return content === undefined ? [] : [{ token: content, start: encoding.getOffsets()[at]![0] }];
        });
        expect(finder.find(each)).toEqual(expected);
        found += expected.length;
      }
      tokenizer.close();
    }),
    { numRuns: cases(100) },
  );
  expect(found).toBeGreaterThan(cases(50));
});
