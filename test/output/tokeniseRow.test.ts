import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RecordFailure } from '../../contract/errors.ts';
import { placeholderTurns } from '../../output/chatTemplates/chatTemplate.ts';
import { renderRow } from '../../output/dataset/renderRow.ts';
import { addedTokensOf } from '../../output/rows/addedTokens.ts';
import { type Piece, rowPieces } from '../../output/rows/rowPieces.ts';
import { TokensAcrossBorders, tokeniseRow } from '../../output/rows/tokeniseRow.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { rowTurns } from '../../schemas/rows/rowToWrite.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { trajectoryArbitrary } from '../support/trajectoryArbitrary.ts';
import { qwen, qwenSettings } from './support/qwen.ts';
import { writeTinyTokenizer } from './support/tinyTokenizer.ts';

const text = (origin: Piece['origin'], text: string): Piece => ({
  kind: 'text',
  text,
  origin,
  weight: origin === 'model' ? 1 : 0,
});
const render = (trajectory: Trajectory) =>
  renderRow(trajectory, builtinProfile(trajectory.profile)!, qwenSettings);

describe('pieces', () => {
  test('are ChatML, with the end of the assistant’s turn written by the model', () => {
    const segments = [
      { tag: 'answer', origin: 'model', text: '<answer>1</answer>', event: 'event_1' },
    ] as const;
    const { prompt, endOfTurn } = qwenSettings.template.render({ system: 'S', user: 'U' }, placeholderTurns);
    const texts = { prompt, segments: [...segments], endOfTurn };
    expect(rowTurns(rowPieces(texts, [1], addedTokensOf(qwen)))).toEqual([
      {
        trained: false,
        text: '<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n',
      },
      { trained: true, text: '<answer>1</answer><|im_end|>\n' },
    ]);
  });
});

const tinyWithBoundaryTokens = async () =>
  loadTokenizer(await writeTinyTokenizer(temporaryFolder(), { merges: [['>', '<']] }));

describe('a row of a tokenizer with tokens across borders', () => {
  test('is encoded apart when asked for: stretches of one weight by themselves, borders counted', async () => {
    const tiny = await tinyWithBoundaryTokens();
    const pieces = [
      text('prompt', '>'),
      text('model', '<a>'),
      text('model', '<b>'),
      text('environment', '<c>\n'),
    ];
    const row = await tokeniseRow(pieces, tiny, 'apart');
    const ids = [[62], [60, 97, 256, 98, 62], [60, 99, 62, 10]];
    expect([...row.inputIds]).toEqual(ids.flat());
    expect([...row.lossMask]).toEqual([0, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
    expect([row.bordersInTokens, row.trainedTokens]).toEqual([2, 5]);
    const turns = rowTurns(pieces);
    expect(await Promise.all(turns.map(async ({ text }) => [...(await tiny.encode(text))]))).toEqual(ids);
    tiny.close();
  });

  test('is what it would be anyway where no token crosses a border', async () => {
    await fc.assert(
      fc.asyncProperty(trajectoryArbitrary(), async (trajectory) => {
        const { pieces } = await render(trajectory);
        expect(await tokeniseRow(pieces, qwen, 'apart')).toEqual(await tokeniseRow(pieces, qwen, 'fail'));
      }),
      { numRuns: 20 },
    );
  });
});

describe('loss weights', () => {
  test('are those of the pieces, and only there where they are not 0 and 1', async () => {
    const pieces = [
      text('prompt', 'a'),
      { ...text('model', '<b>\n'), weight: 0.5 },
      text('environment', '<c>\n\n'),
      text('model', '<d>'),
    ];
    const { inputIds, lossMask, weights, trainedTokens } = await tokeniseRow(pieces, qwen);
    expect(weights?.length).toBe(inputIds.length);
    expect([...weights!].filter((weight) => weight === 0.5).length).toBe((await qwen.encode('<b>\n')).length);
    expect([...lossMask]).toEqual([...weights!].map((weight) => (weight > 0 ? 1 : 0)));
    expect(trainedTokens).toBe(lossMask.filter(Boolean).length);
  });
});

describe('a row that can’t be exact fails', () => {
  test('its first token would be trained', async () => {
    await expect(tokeniseRow([text('model', 'a')], qwen)).rejects.toThrow(/first token/);
  });

  test('tokens across a border are counted and shown, whatever the encoder', async () => {
    const tiny = await tinyWithBoundaryTokens();
    const pieces = [
      text('model', '<a>'),
      text('environment', '<b>\n'),
      text('model', '<c>'),
      text('model', '<d>'),
    ];
    const failure = await tokeniseRow(pieces, tiny).catch((error: unknown) => error);
    tiny.close();
    expect(failure).toBeInstanceOf(TokensAcrossBorders);
    expect((failure as TokensAcrossBorders).failure).toMatchObject({
      cause: 'internal',
      evidence: { boundary_tokens: 2, token: 2, before: '<a>', after: '<b>\n' },
    });
  });

  test('a control token between two texts parts them', async () => {
    const tiny = await tinyWithBoundaryTokens();
    const control: Piece = { kind: 'control', text: '<|im_end|>', origin: 'model', weight: 1 };
    const row = await tokeniseRow([text('prompt', 'a>'), control, text('model', '<b')], tiny);
    tiny.close();
    expect([...row.inputIds]).toEqual([97, 62, 258, 60, 98]);
    expect([...row.lossMask]).toEqual([0, 0, 1, 1, 1]);
  });

  test.each([
    ['in one text', [text('environment', 'see <tool_call> here')]],
    ['across two', [text('environment', 'see <tool'), text('model', '_call> here')]],
  ])('text that holds an added token: %s', async (_, pieces) => {
    const failure = await tokeniseRow(pieces, qwen).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RecordFailure);
    expect((failure as RecordFailure).failure).toMatchObject({
      cause: 'internal',
      evidence: { token: '<tool_call>', context: 'see <tool_call> here' },
    });
  });
});
