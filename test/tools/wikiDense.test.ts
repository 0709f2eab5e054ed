import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { EmbeddingModel } from '../../contract/textModels.ts';
import { keepPassageIndex } from '../../tools/wikiSearch/buildPassageIndex.ts';
import { createIndexRetriever, type RetrievalMode } from '../../tools/wikiSearch/createIndexRetriever.ts';
import { buildDenseIndex } from '../../tools/wikiSearch/dense/buildDenseIndex.ts';
import {
  checkedDenseFile,
  cosineOf,
  type DenseSettings,
  denseFileOf,
  openDenseIndex,
} from '../../tools/wikiSearch/dense/openDenseIndex.ts';
import { openIndexFile } from '../../tools/wikiSearch/openPassageIndex.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { embeddingOf } from '../support/embeddingOf.ts';

const root = sharedFolder();
const cache = path.join(root, 'cache');
beforeEach(() => rmSync(cache, { recursive: true, force: true }));

const never = new AbortController().signal;
const settings: DenseSettings = { model: 'hashing', passage_prefix: '', max_chars: 2000 };
const corpus = [
  ['river', '"Orne"\nThe river flows past a town.'],
  ['hill', '"Calder"\nA hill of slate, bare and windy.'],
  ['ship', '"Amaranth"\nA ship of three masts.'],
  ['salt', '"Brine Barrow"\nA company that boils salt.'],
  ['fog', '"Fog Parade"\nA festival of lanterns.'],
] as const;

/** A model that counts what it is paid for. */
function countingModel(embed: (text: string, place: number) => Float32Array = embeddingOf) {
  const asked: string[] = [];
  const model: EmbeddingModel = {
    embed: async (texts) =>
      texts.map((text) => {
        asked.push(text);
        return embed(text, asked.length);
      }),
  };
  return { model, asked };
}

async function openIndex(rows: readonly (readonly [string, string])[] = corpus) {
  const file = path.join(root, `corpus-${rows.length}.jsonl`);
  writeFileSync(file, rows.map(([id, contents]) => `${JSON.stringify({ id, contents })}\n`).join(''));
  const kept = await keepPassageIndex(file, cache);
  return { ...kept, dense: denseFileOf(kept.file) };
}

async function build(
  indexFile: string,
  model: EmbeddingModel,
  { signal = never, settings: own = settings, batchSize = 2, concurrency = 1 } = {},
) {
  const index = openIndexFile(indexFile);
  try {
    return await buildDenseIndex(index, denseFileOf(indexFile), {
      model,
      settings: own,
      batchSize,
      concurrency,
      signal,
    });
  } finally {
    index.close();
  }
}

async function idsFound(mode: RetrievalMode, query: string, topK = 2, rows = corpus) {
  const { file, dense, meta } = await openIndex(rows);
  if (!existsSync(dense)) await build(file, countingModel().model);
  const embeddings = { model: async () => countingModel().model, queryPrefix: '' };
  const retriever = createIndexRetriever({
    files: { index: file, vectors: { format: 'dense', file: dense } },
    passages: meta.passages,
    mode,
    embeddings,
  });
  const [found] = await retriever.retrieve([query], topK, never);
  await retriever.close();
  return found!.map(({ id }) => id);
}

describe('searching', () => {
  test('finds by meaning what shares no word, and fuses both', async () => {
    expect(await idsFound('bm25', 'stream village')).toEqual([]);
    expect((await idsFound('dense', 'stream runs by village'))[0]).toBe('river');
    const both = await idsFound('hybrid', 'stream runs by village slate', 2);
    expect(both.toSorted()).toEqual(['hill', 'river']);
  });

  test('scores are cosines, and no more than wanted come', async () => {
    const { file, dense } = await openIndex();
    await build(file, countingModel().model);
    const index = openDenseIndex(dense);
    const query = embeddingOf('a ship of salt');
    const found = index.search(query, 3);
    index.close();
    expect(found).toHaveLength(3);
    for (const { number, score } of found) {
      const text = corpus[number - 1]![1].replaceAll('"', '');
      expect(score).toBeCloseTo(cosineOf(query, embeddingOf(text)), 2);
    }
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
  });

  test('among thousands, those with like signs are compared in full', async () => {
    const rows = Array.from(
      { length: 5000 },
      (_, at) => [`p${at}`, `"Lot ${at}"\nword${at % 71} thing${at % 89} part${at % 97} name${at}`] as const,
    );
    const { file, dense } = await openIndex(rows);
    await build(file, countingModel().model, { batchSize: 500, concurrency: 3 });
    const index = openDenseIndex(dense);
    for (const at of [0, 1234, 4999]) {
      const text = rows[at]![1].replaceAll('"', '');
      const [first] = index.search(embeddingOf(text), 3);
      expect(first!.number).toBe(at + 1);
      expect(first!.score).toBeGreaterThan(0.99);
    }
    index.close();
  });

  test('vectors of another length are the service’s fault', async () => {
    const { file, dense, meta } = await openIndex();
    await build(file, countingModel().model);
    const model = async () => countingModel(() => Float32Array.from([1, 2, 3])).model;
    const embeddings = { model, queryPrefix: '' };
    const options = {
      files: { index: file, vectors: { format: 'dense', file: dense } },
      passages: meta.passages,
      mode: 'dense',
      embeddings,
    } as const;
    const retriever = createIndexRetriever(options);
    await expect(retriever.retrieve(['x'], 1, never)).rejects.toMatchObject({
      failure: { cause: 'tool_unavailable', message: expect.stringContaining('3 dimensions') },
    });
    await retriever.close();
  });
});

describe('building', () => {
  test('sends title and text behind the prefix, cut', async () => {
    const { file } = await openIndex();
    const { model, asked } = countingModel();
    await build(file, model, { settings: { ...settings, passage_prefix: 'passage: ', max_chars: 10 } });
    expect(asked[0]).toBe('passage: Orne\nThe r');
    expect(asked).toHaveLength(corpus.length);
  });

  test('goes on after a failure with what is pending, and pays for nothing twice', async () => {
    const { file, dense } = await openIndex();
    const first = countingModel((text, place) => {
      if (place === 4) throw new RecordFailure('endpoint_error', 'broken');
      return embeddingOf(text);
    });
    await expect(build(file, first.model)).rejects.toThrow('broken');
    expect(existsSync(dense)).toBe(false);
    const second = countingModel();
    await build(file, second.model);
    expect(first.asked.slice(0, 2)).toEqual([
      'Orne\nThe river flows past a town.',
      'Calder\nA hill of slate, bare and windy.',
    ]);
    expect(second.asked.some((text) => first.asked.slice(0, 2).includes(text))).toBe(false);
    expect(second.asked).toHaveLength(3);
    expect(existsSync(dense)).toBe(true);
    expect(existsSync(`${dense}.building`)).toBe(false);
  });

  test('keeps what others in flight bring when one fails', async () => {
    const { file, dense } = await openIndex();
    const slow: EmbeddingModel = {
      async embed(texts) {
        if (texts[0]!.startsWith('Orne')) throw new RecordFailure('endpoint_error', 'broken');
        await new Promise((resolve) => setTimeout(resolve, 20));
        return texts.map(embeddingOf);
      },
    };
    await expect(build(file, slow, { concurrency: 2 })).rejects.toThrow('broken');
    const database = new DatabaseSync(`${dense}.building`, { readOnly: true });
    const numbers = database.prepare('SELECT number FROM vectors ORDER BY number').all();
    database.close();
    expect(numbers.map((row) => row.number)).toEqual([3, 4]);
  });

  test('stops at the signal before anything more is asked', async () => {
    const { file } = await openIndex();
    const stop = new AbortController();
    const { model, asked } = countingModel((text) => {
      stop.abort(new Error('stopped'));
      return embeddingOf(text);
    });
    await expect(build(file, model, { signal: stop.signal })).rejects.toThrow('stopped');
    expect(asked).toHaveLength(2);
    const rest = countingModel();
    await build(file, rest.model);
    expect(rest.asked).toHaveLength(3);
  });
});

describe('what does not belong together', () => {
  test.each<[string, Partial<DenseSettings>, RegExp]>([
    ['another model', { model: 'other' }, /built with model "hashing", not "other"/],
    ['another prefix', { passage_prefix: 'passage: ' }, /built with passage_prefix "", not "passage: "/],
    ['another length', { max_chars: 9 }, /built with max_chars 2000, not 9/],
  ])('%s is refused, by name', async (_name, change, message) => {
    const { file, meta } = await openIndex();
    await build(file, countingModel().model);
    const check = () => checkedDenseFile(file, meta, { ...settings, ...change });
    expect(check).toThrow(UserError);
    expect(check).toThrow(message);
    expect(checkedDenseFile(file, meta, settings)).toBe(denseFileOf(file));
  });

  test('a dense index of another corpus is refused', async () => {
    const one = await openIndex();
    await build(one.file, countingModel().model);
    const other = await openIndex(corpus.slice(1));
    writeFileSync(other.dense, readFileSync(one.dense));
    expect(() => checkedDenseFile(other.file, other.meta, settings)).toThrow(/built with another corpus/);
  });

  test('a build begun with another model is not gone on with', async () => {
    const { file } = await openIndex();
    const failing = countingModel((text, place) => {
      if (place > 2) throw new RecordFailure('endpoint_error', 'broken');
      return embeddingOf(text);
    });
    await expect(build(file, failing.model)).rejects.toThrow('broken');
    const other = countingModel();
    const going = build(file, other.model, { settings: { ...settings, model: 'other' } });
    await expect(going).rejects.toThrow(
      /a build was begun with model "hashing", not "other"; delete the file/,
    );
    expect(other.asked).toEqual([]);
  });

  test.each([
    ['missing', undefined, /there is no dense index/],
    ['damaged', 'nonsense'.repeat(2000), /not a dense index, or a damaged one/],
  ])('a %s one is the user’s to build', async (_how, content, message) => {
    const { file, meta, dense } = await openIndex();
    if (content !== undefined) writeFileSync(dense, content);
    expect(() => checkedDenseFile(file, meta, settings)).toThrow(message);
  });
});
