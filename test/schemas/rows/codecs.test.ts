import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { writtenRow } from '../../../output/dataset/formats/formatParts.ts';
import { renderRow } from '../../../output/dataset/renderRow.ts';
import { idDecoder } from '../../../output/tokenizers/decodeIds.ts';
import { builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import { alpacaRow } from '../../../schemas/rows/alpaca.ts';
import { axolotlRow } from '../../../schemas/rows/axolotlSegments.ts';
import { codecTable, readAnswers, readDatasetRow, unfitFor } from '../../../schemas/rows/codecTable.ts';
import { type DatasetRow, isProblem } from '../../../schemas/rows/datasetRow.ts';
import { msSwiftRow, msSwiftTemplate } from '../../../schemas/rows/msSwift.ts';
import { pairTexts, rankedPair } from '../../../schemas/rows/preference.ts';
import { goldIn } from '../../../schemas/rows/rowCodec.ts';
import { questionOf } from '../../../schemas/rows/rowQuestion.ts';
import { answerText } from '../../../schemas/rows/rowToWrite.ts';
import { llamaFactoryRow } from '../../../schemas/rows/shareGpt.ts';
import { withTokenText } from '../../../schemas/rows/tokens.ts';
import { trajectoryRow } from '../../../schemas/trainers/trajectoryRow.ts';
import { qwen, qwenSettings } from '../../output/support/qwen.ts';
import { cases } from '../../support/cases.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';

const profiles = Object.values(builtinProfiles);
type Rendered = Awaited<ReturnType<typeof renderRow>>;

const labelsOf = ({ inputIds, lossMask }: Rendered) =>
  Array.from(inputIds, (id, at) => (lossMask[at] === 1 ? id : -100));

/** Every layout that we write; the canonical record has texts as they were before special tokens were escaped. */
const layouts: Readonly<Record<string, (row: Rendered) => object>> = {
  alpaca: (row) => writtenRow(alpacaRow(row)),
  sharegpt: (row) => writtenRow(llamaFactoryRow(row)),
  segments: axolotlRow,
  messages: ({ pieces }) => writtenRow(msSwiftRow(pieces, msSwiftTemplate('chatml')!)),
  tokens: (row) => ({ input_ids: [...row.inputIds], labels: labelsOf(row) }),
  'tokens beside messages': (row) => ({
    messages: [
      { role: 'system', content: row.rendered.system },
      { role: 'user', content: row.rendered.user },
      { role: 'assistant', content: answerText(row.rendered) },
    ],
    input_ids: row.inputIds,
    loss_mask: row.lossMask,
  }),
  trajectory: ({ trajectory, rendered }) => trajectoryRow({ ...trajectory, ...rendered }),
};

const decode = idDecoder(qwen);

async function rendered(trajectory: Parameters<typeof renderRow>[0]): Promise<Rendered> {
  return renderRow(trajectory, builtinProfiles[trajectory.profile]!, qwenSettings);
}

async function read(raw: object): Promise<DatasetRow> {
  const row = readDatasetRow(raw as JsonValue);
  const said = isProblem(row) ? row : await withTokenText(row, decode);
  if (isProblem(said)) throw new Error(JSON.stringify(said));
  return said;
}

/** What a row asks; a question of white space alone asks nothing. */
const askedBy = ({ rendered: { question } }: Rendered) => (question.trim() === '' ? null : question);

const trainedText = (pieces: readonly { text: string; weight: number }[]) =>
  pieces.flatMap(({ text, weight }) => (weight > 0 ? [text] : [])).join('');

describe.each(Object.entries(layouts))('%s', (name, write) => {
  test('says what was written: question, prompt, text, answer and mask', async () => {
    await fc.assert(
      fc.asyncProperty(trajectoryArbitrary(), async (trajectory) => {
        const row = await rendered(trajectory);
        const said = await read(write(row));
        const text = answerText(row.rendered);
        expect(said.text).toBe(text);
        expect(questionOf(said, profiles)).toBe(askedBy(row));
        expect(said.user).toBe(row.rendered.user);
        // The fork's template writes the system turn.
        expect(said.system).toBe(name === 'alpaca' ? null : row.rendered.system);
        expect(said.answer).toBe(/.*<answer>([\s\S]*?)<\/answer>/s.exec(text)?.[1]?.trim());
        // What AFM's fork masks, its tokens say; ms-swift's template and records end the turn themselves.
        const ending = ['messages', 'trajectory'].includes(name) ? '<|im_end|>\n' : '';
        if (name !== 'alpaca') expect(trainedText(said.pieces) + ending).toBe(trainedText(row.pieces));
      }),
      { numRuns: cases(300) },
    );
  });
});

test('a pair says both sides, each with the prompt, in every layout that we write', async () => {
  await fc.assert(
    fc.asyncProperty(trajectoryArbitrary(), trajectoryArbitrary(), async (one, other) => {
      const { question, user } = one;
      const chosen = await rendered(one);
      const rejected = await rendered({ ...other, profile: one.profile, system: one.system, question, user });
      const pair = { chosen, rejected };
      const sides = { chosen_input_ids: [...chosen.inputIds], chosen_labels: labelsOf(chosen) };
      const others = { rejected_input_ids: [...rejected.inputIds], rejected_labels: labelsOf(rejected) };
      const rows = [rankedPair(pair), { ...pairTexts(pair), ...sides, ...others }, { ...sides, ...others }];
      for (const raw of rows) {
        const said = await read(raw);
        expect(said.pair?.chosen.text).toBe(answerText(chosen.rendered));
        expect(said.pair?.rejected.text).toBe(answerText(rejected.rendered));
        expect(questionOf(said, profiles)).toBe(askedBy(chosen));
      }
    }),
    { numRuns: cases(150) },
  );
});

describe('rows of others', () => {
  const user = { role: 'user', content: 'Q1?' };
  const turn = { role: 'assistant', content: 'bad' };
  const good = { role: 'assistant', content: 'good' };

  test.each([
    ['weight', 0],
    ['loss', false],
    ['train', false],
    ['training', false],
    ['loss_mask', 0],
  ])('%s: %s takes a turn out of the loss', (key, value) => {
    const row = readDatasetRow({ messages: [user, { ...turn, [key]: value }, user, good] }) as DatasetRow;
    expect(row.pieces.map(({ weight }) => weight)).toEqual([0, 0, 0, 1]);
  });

  test('a completion is in the loss and its prompt is not, as texts and as turns', () => {
    const rows = [
      { prompt: 'Q?', completion: 'A' },
      { prompt: [user, turn, user], completion: [good] },
    ].map((row) => readDatasetRow(row) as DatasetRow);
    expect(rows.map(({ text, answer }) => [text, answer])).toEqual([
      ['A', 'A'],
      ['good', 'good'],
    ]);
    expect(rows.map(({ pieces }) => pieces.filter(({ weight }) => weight > 0).length)).toEqual([1, 1]);
  });

  test('calls and thoughts are written as Qwen’s templates write them', () => {
    const call = { id: 'a', type: 'function', function: { name: 'web_search', arguments: '{"query":"V"}' } };
    const messages = [user, { role: 'assistant', content: null, reasoning_content: 'T', tool_calls: [call] }];
    const { pieces } = readDatasetRow({ messages }) as DatasetRow;
    expect(pieces[1]!.text).toBe(
      '<think>\nT\n</think>\n\n<tool_call>\n{"name": "web_search", "arguments": {"query": "V"}}\n</tool_call>',
    );
  });

  test.each([
    [
      'a part that is not text',
      { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
      'unread_part',
      'messages[0].content[0]',
    ],
    [
      'an unknown role',
      { messages: [user, { role: 'critic', content: 'x' }] },
      'unknown_role',
      'messages[1]',
    ],
    ['no turns', { conversations: [] }, 'no_turn', 'conversations'],
    ['ids without a mask', { input_ids: [1] }, 'no_mask', 'input_ids'],
    [
      'a rejected side that can’t be read',
      { prompt: 'x', chosen: 'a', rejected: 1 },
      'invalid_type',
      'rejected',
    ],
    ['none of the known columns', { a: 1 }, 'unknown_layout', ''],
    ['a question alone', { question: 'x' }, 'no_answer', ''],
    ['no columns', 'x', 'unknown_layout', ''],
  ])('%s is a problem with its place', (_, row, code, path) => {
    expect(readAnswers(row as JsonValue)).toEqual([{ code, path, problem: expect.any(String) as string }]);
  });

  test('ms-swift’s pair, LLaMA-Factory’s parts and arguments encoded twice are read', () => {
    const swift = readDatasetRow({ messages: [user, good], rejected_response: 'bad' }) as DatasetRow;
    expect([swift.pair?.chosen.text, swift.pair?.rejected.text]).toEqual(['good', 'bad']);
    const call = { name: 'land', arguments: '"{\\"where\\": \\"here\\"}"' };
    const parts = [
      { type: 'reasoning', value: 'T' },
      { type: 'text', value: 'W' },
      { type: 'tool_call', value: JSON.stringify(call) },
    ];
    const row = readDatasetRow({ messages: [user, { role: 'assistant', content: parts }] }) as DatasetRow;
    expect(row.text).toBe(
      '<think>\nT\n</think>\n\nW\n<tool_call>\n{"name": "land", "arguments": {"where": "here"}}\n</tool_call>',
    );
  });

  test('an answer that KTO leads away from is not one to learn', () => {
    const row = readDatasetRow({ messages: [user, turn], label: false }) as DatasetRow;
    expect(unfitFor('one_answer', row)).toMatchObject({ code: 'undesirable', path: 'label' });
    expect(unfitFor('question', row)).toBeUndefined();
  });

  test('of two layouts in one row neither is guessed, unless they say the same', () => {
    const conversations = [
      { from: 'human', value: 'Q1?' },
      { from: 'gpt', value: 'good' },
    ];
    const both = { conversations, messages: [user, good] };
    expect(readDatasetRow(both)).toMatchObject({ format: 'sharegpt', text: 'good' });
    const apart = { ...both, messages: [user, turn] };
    expect(readDatasetRow(apart)).toMatchObject({ code: 'ambiguous_layout' });
  });

  test('no two layouts are certain of a row, but where one holds the other’s columns', () => {
    const rows = [
      { conversations: [] },
      { messages: [] },
      { instruction: '' },
      { input_ids: [] },
      { question: 'x' },
    ];
    for (const row of rows) expect(codecTable.filter((codec) => codec.recognises(row))).toHaveLength(1);
  });
});

test('gold answers are looked for in one pass over the columns', () => {
  let passes = 0;
  const ownKeys = (row: JsonObject) => {
    passes += 1;
    return Reflect.ownKeys(row);
  };
  const row = new Proxy<JsonObject>({ note: 'x', Answer: '7', answers: [''], Target: '9' }, { ownKeys });
  expect(goldIn(row)).toEqual({ column: 'Answer', gold: ['7'] });
  expect(passes).toBe(1);
});
