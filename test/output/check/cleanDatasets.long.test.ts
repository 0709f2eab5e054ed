import { describe, expect, test } from 'vitest';
import { openTokenText } from '../../../output/check/tokenText.ts';
import { datasetFormatNames } from '../../../schemas/config/datasetFormatNames.ts';
import { cases } from '../../support/cases.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { trapTrajectories } from '../../trainers/support/trapTrajectories.ts';
import { presetNames, writeModelTokenizer } from '../support/modelTokenizers.ts';
import { writeTinyTokenizer } from '../support/tinyTokenizer.ts';
import { checkMasks } from './support/checkRows.ts';
import { sampleDataset, sampleTrajectories } from './support/sampleDataset.ts';

const everyFormat = datasetFormatNames;
const formats = everyFormat.filter((name) => name !== 'afm');

interface Changed {
  readonly mask?: {
    readonly thinking?: boolean;
    readonly last_steps?: number;
    readonly tag_weights?: Record<string, number>;
  };
  readonly validation_share?: number;
  readonly shard_mb?: number;
  readonly boundary_tokens?: 'apart';
}

describe('a dataset as it was written has no findings', () => {
  test('with every format', async () => {
    const { findings, totals } = await checkMasks(await sampleDataset(undefined, { formats: everyFormat }));
    expect(findings).toEqual([]);
    expect(totals.parts.map(({ layout, rows }) => `${layout} ${rows}`).sort()).toEqual([
      'alpaca 6',
      'messages 6',
      'pair 6',
      'segments 6',
      'sharegpt 6',
      'tokens 6',
      'tokens 6',
      'tokens 6',
      'tokens 6',
      'tokens 6',
      'tokens 6',
    ]);
    const [{ by_tag }] = totals.parts as [(typeof totals.parts)[number]];
    expect(by_tag.observation?.trained).toBe(0);
    expect(by_tag.prompt?.trained).toBe(0);
    expect(by_tag.think?.trained).toBe(by_tag.think?.tokens);
    expect(by_tag.end_of_turn).toEqual({ tokens: 12, trained: 12 });
  });

  test('with no row for training, or none at all', async () => {
    const allValidation = await checkMasks(await sampleDataset(undefined, { validation_share: 0.999_999 }));
    expect(allValidation.findings).toEqual([]);
    const none = await checkMasks(await sampleDataset([]));
    expect(none.findings).toEqual([]);
  });

  test('with the user’s words in a long system prompt too', async () => {
    const rows = sampleTrajectories(3).map((row) => ({
      ...row,
      system: `${row.user} ${'Be thorough. '.repeat(60)}`,
    }));
    expect((await checkMasks(await sampleDataset(rows))).findings).toEqual([]);
  });

  test('full of traps', async () => {
    const rows = cases(60);
    const { findings, totals } = await checkMasks(await sampleDataset(trapTrajectories(rows)));
    expect(findings).toEqual([]);
    expect(totals.parts.map((part) => part.rows)).toEqual([rows, rows, rows, rows]);
  });

  test.for([
    ['thinking left out', { mask: { thinking: false } }],
    ['a tag left out', { mask: { tag_weights: { plan: 0 } } }],
    ['the last step alone', { mask: { last_steps: 1 } }],
    ['a tag of another weight', { mask: { tag_weights: { plan: 0.5 } } }],
    ['options together', { mask: { thinking: false, last_steps: 2, tag_weights: { answer: 0 } } }],
    ['a validation split', { validation_share: 0.4 }],
    ['several files', { shard_mb: 0.002 }],
    ['both', { validation_share: 0.4, shard_mb: 0.002 }],
    ['segments encoded apart', { boundary_tokens: 'apart' }],
  ] as readonly [string, Changed][])('%s', async ([, config]) => {
    const weighted = config.mask?.tag_weights?.plan === 0.5;
    const apart = ['tokenized', 'verl', 'hugging_face', 'axolotl'];
    const usable = weighted ? ['hugging_face', 'verl'] : config.boundary_tokens ? apart : formats;
    const folder = await sampleDataset(sampleTrajectories(12), { formats: usable, ...config });
    const { findings, totals } = await checkMasks(folder);
    expect(findings).toEqual([]);
    expect(totals.parts.reduce((sum, part) => sum + part.rows, 0) % 12).toBe(0);
  });

  test.for(presetNames)("in the markup of the model's own template: %s", async (preset) => {
    const tokenizer = await writeModelTokenizer(temporaryFolder(), preset);
    const config = {
      tokenizer,
      chat_template: preset,
      formats: ['llama_factory', 'tokenized', 'verl', 'axolotl'],
    };
    const folder = await sampleDataset(trapTrajectories(30), config);
    const { findings, totals } = await checkMasks(folder, { tokenText: await openTokenText(tokenizer) });
    expect(findings).toEqual([]);
    expect(totals.parts.map((part) => part.rows)).toEqual([30, 30, 30, 30, 30]);
  });

  test('of a tokenizer whose tokens lie across borders, encoded apart', async () => {
    const tokenizer = await writeTinyTokenizer(temporaryFolder(), {
      merges: [
        ['Ċ', '<'],
        ['>', 'Ċ'],
      ],
    });
    const config = { tokenizer, boundary_tokens: 'apart', formats: ['tokenized', 'verl', 'axolotl'] };
    const folder = await sampleDataset(undefined, config);
    const { findings } = await checkMasks(folder, { tokenText: await openTokenText(tokenizer) });
    expect(findings).toEqual([]);
    // Held against the text as a whole, it is found out.
    const whole = await checkMasks(folder, {
      tokenText: await openTokenText(tokenizer),
      encodedApart: false,
    });
    expect(new Set(whole.findings.map((finding) => finding.rule))).toEqual(
      new Set(['foreign_ids', 'boundary_token']),
    );
  });

  test('with rows whose end was cut off', async () => {
    const config = { formats: ['tokenized', 'verl'], too_long: 'cut', cutoff_len: 280 };
    const { findings, totals } = await checkMasks(await sampleDataset(undefined, config));
    expect(findings).toEqual([]);
    expect(totals.parts[0]!.by_tag.end_of_turn).toBeUndefined();
  });

  test('with segments that a verdict marks', async () => {
    const [first, ...more] = sampleTrajectories(3);
    const verdict = {
      subject: 'suggested_answer',
      judge: 'rule',
      judgement: 'incorrect',
      score: 0,
      evidence: {},
      marked_segments: [3],
    } as const;
    const marked = {
      ...first!,
      quality: { ...first!.quality, verdicts: [{ ...verdict, marked_segments: [3] }] },
    };
    const config = { formats: ['tokenized', 'llama_factory'], mask: { marked: 'skip' } };
    const { findings, totals } = await checkMasks(await sampleDataset([marked, ...more], config));
    expect(findings).toEqual([]);
    const { wiki_search: searches } = totals.parts[0]!.by_tag;
    expect(searches!.trained).toBeLessThan(searches!.tokens);
  });
});
