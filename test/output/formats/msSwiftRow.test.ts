import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenRow } from '../../../output/dataset/formats/formatParts.ts';
import type { Piece } from '../../../output/rows/rowPieces.ts';
import {
  type MsSwiftTemplate,
  msSwiftPresets,
  msSwiftRow,
  msSwiftTemplate,
} from '../../../schemas/rows/msSwift.ts';
import { rowTurns } from '../../../schemas/rows/rowToWrite.ts';
import type { MsSwiftRow } from '../../../schemas/trainers/msSwift.ts';

/** Text that holds no control token. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((part) => !part.includes('<|'));

const segment = fc.record({ text, weight: fc.constantFrom(0, 1) });

function piece(part: string, weight: number): Piece {
  return { kind: 'text', text: part, origin: weight > 0 ? 'model' : 'environment', weight };
}

function piecesOf(
  { beforeSystem, betweenSystemAndUser, beforeAnswer, afterAnswer }: MsSwiftTemplate,
  [system, user]: readonly [string, string],
  segments: readonly { text: string; weight: number }[],
): Piece[] {
  const prompt = beforeSystem + system + betweenSystemAndUser + user + beforeAnswer;
  return [piece(prompt, 0), ...segments.map((part) => piece(part.text, part.weight)), piece(afterAnswer, 1)];
}

/** What ms-swift makes of messages: the template around the texts, the end of the turn trained. */
function rendered(row: MsSwiftRow, template: MsSwiftTemplate): { trained: boolean; text: string }[] {
  const [system, user, ...answer] = row.messages;
  const { beforeSystem, betweenSystemAndUser, beforeAnswer, afterAnswer } = template;
  return rowTurns([
    piece(beforeSystem + system.content + betweenSystemAndUser + user.content + beforeAnswer, 0),
    ...answer.map(({ content, loss }) => piece(content, loss ? 1 : 0)),
    piece(afterAnswer, 1),
  ]);
}

test.each(msSwiftPresets)('messages for %s become the row’s text and mask again', (preset) => {
  const template = msSwiftTemplate(preset)!;
  const segments = fc.array(segment, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.tuple(text, text), segments, (prompt, parts) => {
      const pieces = piecesOf(template, prompt, parts);
      const row = writtenRow(msSwiftRow(pieces, template));
      expect(rendered(row, template)).toEqual(rowTurns(pieces));
      expect(row.messages.slice(0, 2).map(({ content }) => content)).toEqual(prompt);
    }),
  );
});

const chatMl = msSwiftTemplate('chatml')!;
const good = piecesOf(chatMl, ['system', 'user'], [{ text: '<answer>42</answer>', weight: 1 }]);

test.each([
  ['a cut row, which no end of turn follows', good.slice(0, -1), 'does not end as'],
  [
    'the prompt of another template',
    piecesOf(msSwiftTemplate('llama3')!, ['s', 'u'], []),
    'its prompt is not what',
  ],
  [
    'a user text in which ms-swift would put a number',
    piecesOf(chatMl, ['system', 'what is {{ROUND1}}?'], [{ text: 'a', weight: 1 }]),
    'expected none of {{ROUND0}}, {{ROUND1}}',
  ],
  ['no system text', piecesOf(chatMl, ['', 'user'], [{ text: 'a', weight: 1 }]), 'Too small'],
])('refuses %s', (_, pieces, message) => {
  expect(msSwiftRow(good, chatMl)).not.toHaveProperty('problem');
  expect(msSwiftRow(pieces, chatMl)).toMatchObject({
    code: 'cannot_write',
    problem: expect.stringContaining(message) as string,
  });
});
