import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../base/ids.ts';
import { modelFolderFacts } from '../../training/gates/modelFolderFacts.ts';
import { trainerFacts } from '../../training/gates/trainerFacts.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { installPrograms } from './support/installPrograms.ts';
import { samplePlan } from './support/sampleJob.ts';

/** A small tokenizer.json; `changed` replaces members of its model. */
function tokenizerJson(changed: object = {}, addedId = 3): string {
  return JSON.stringify({
    added_tokens: [{ id: addedId, content: '<|im_end|>' }],
    model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: ['a b'], ...changed },
  });
}

const dataset = tokenizerJson();

/** A model's folder, whole but for what a test changes, and the dataset's tokenizer beside it. */
function modelFolder(files: Readonly<Record<string, string | null>> = {}) {
  const folder = temporaryFolder();
  const model = join(folder, 'model');
  mkdirSync(model);
  const whole = {
    'config.json': '{"max_position_embeddings": 512}',
    'model.safetensors': '',
    'tokenizer.json': dataset,
  };
  for (const [name, text] of Object.entries({ ...whole, ...files })) {
    if (text !== null) writeFileSync(join(model, name), text);
  }
  const source = join(folder, 'dataset.json');
  writeFileSync(source, dataset);
  return { model, tokenizer: { name: 'tiny', sha256: sha256Hex(dataset), source } };
}

const factsOf = async (files: Readonly<Record<string, string | null>>) => {
  const { model, tokenizer } = modelFolder(files);
  return (await modelFolderFacts({ model, launcher: 'local' }, tokenizer))!;
};

describe('a model’s folder', () => {
  test('that is whole', async () => {
    const whole = { problem: null, missingWeights: [], maxPositions: 512, tokenizer: { kind: 'same' } };
    expect(await factsOf({})).toEqual(whole);
  });

  test('that is a name is not looked for', async () => {
    const { tokenizer } = modelFolder();
    for (const model of ['Qwen/Qwen2.5-7B-Instruct', 'gpt2']) {
      expect(await modelFolderFacts({ model, launcher: 'local' }, tokenizer)).toBeNull();
    }
  });

  test.each(['./x', '../x', '~/x', 'a/b/c', '/nowhere/x'])(
    'that is a path, as %s, is looked for',
    async (model) => {
      const { tokenizer } = modelFolder();
      expect(await modelFolderFacts({ model, launcher: 'local' }, tokenizer)).toMatchObject({
        problem: expect.stringContaining('no such folder'),
      });
    },
  );

  test('of pods is looked into where it is here, too', async () => {
    const { model, tokenizer } = modelFolder({ 'config.json': '{' });
    expect(await modelFolderFacts({ model, launcher: 'kubernetes' }, tokenizer)).toMatchObject({
      problem: expect.stringContaining("can't be read"),
    });
    expect(await modelFolderFacts({ model: '/claim/x', launcher: 'kubernetes' }, tokenizer)).toBeNull();
  });

  test('that is not there, or has no configuration that can be read', async () => {
    const { model, tokenizer } = modelFolder();
    rmSync(model, { recursive: true });
    expect(await modelFolderFacts({ model, launcher: 'local' }, tokenizer)).toMatchObject({
      problem: expect.stringContaining('no such folder'),
    });
    expect((await factsOf({ 'config.json': null })).problem).toContain(
      'config.json is missing (the folder holds model.safetensors, tokenizer.json)',
    );
    expect((await factsOf({ 'config.json': '{' })).problem).toContain("config.json can't be read");
  });

  test('without weights, or without one of its shards', async () => {
    expect((await factsOf({ 'model.safetensors': null })).missingWeights).toEqual(['model.safetensors']);
    const index = JSON.stringify({
      weight_map: { x: 'a.safetensors', y: 'b.safetensors', z: 'b.safetensors' },
    });
    const sharded = { 'model.safetensors': null, 'model.safetensors.index.json': index, 'a.safetensors': '' };
    expect((await factsOf(sharded)).missingWeights).toEqual(['b.safetensors']);
    expect((await factsOf({ ...sharded, 'b.safetensors': '' })).missingWeights).toEqual([]);
  });

  test('has the dataset’s tokenizer in other bytes, or another one', async () => {
    const comparisonOf = async (text: string) => (await factsOf({ 'tokenizer.json': text })).tokenizer;
    expect(await comparisonOf(tokenizerJson({ merges: [['a', 'b']] }))).toEqual({ kind: 'same' });
    expect(await comparisonOf(tokenizerJson({}, 4))).toEqual({
      kind: 'differs',
      difference: expect.stringContaining('"<|im_end|>"'),
    });
    expect(await comparisonOf(tokenizerJson({ merges: ['no pair'] }))).toMatchObject({ kind: 'unknown' });
  });

  test('without a tokenizer, or beside a dataset whose tokenizer is gone', async () => {
    expect((await factsOf({ 'tokenizer.json': null })).tokenizer).toEqual({ kind: 'missing' });
    const { model, tokenizer } = modelFolder({ 'tokenizer.json': tokenizerJson({ merges: [] }) });
    const gone = await modelFolderFacts({ model, launcher: 'local' }, { ...tokenizer, source: null });
    expect(gone!.tokenizer).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('not there any more'),
    });
    writeFileSync(tokenizer.source, `${readFileSync(tokenizer.source, 'utf8')} `);
    const changed = await modelFolderFacts({ model, launcher: 'local' }, tokenizer);
    expect(changed!.tokenizer).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('changed since'),
    });
  });
});

/** A program in the place of the trainer's Python. */
function program(text: string): string {
  return join(installPrograms({ python: text }), 'python');
}

const ask = (python: string) =>
  trainerFacts({ python, plan: samplePlan(), files: { train: [], validation: [] }, readsKeys: false });

describe('the trainer’s Python', () => {
  test('answers after whatever its packages print', async () => {
    const answer = {
      versions: { llamafactory: '0.9.5' },
      loaded: { rows: 11, validation_rows: 2, longest: 900 },
      load_error: null,
      arguments: null,
    };
    expect(await ask(program(`echo "[INFO] loading"; echo '${JSON.stringify(answer)}'`))).toMatchObject({
      problem: null,
      versions: { llamafactory: '0.9.5' },
      loaded: { rows: 11, validationRows: 2, longest: 900 },
    });
  });

  test('that is not there, is no program, fails, or says something else has a problem', async () => {
    expect((await ask('/nowhere/python')).problem).toBe('the program does not exist');
    expect((await ask(temporaryFolder())).problem).toBe('it is not a program that may be run');
    expect((await ask(program('echo "bad magic" >&2; exit 3'))).problem).toBe(
      'it gives no answer (bad magic)',
    );
    expect((await ask(program('echo hello'))).problem).toContain('it gives no answer');
  });
});
