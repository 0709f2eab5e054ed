import { expect, test } from 'vitest';
import type { Piece } from '../../../output/rows/rowPieces.ts';
import { type MsSwiftTemplate, msSwiftRow, msSwiftTemplate } from '../../../schemas/rows/msSwift.ts';

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
