import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { keepPassageIndex } from '../../tools/wikiSearch/buildPassageIndex.ts';
import { createIndexRetriever } from '../../tools/wikiSearch/createIndexRetriever.ts';
import { openFaissIndex } from '../../tools/wikiSearch/dense/openFaissIndex.ts';
import { runCli } from '../cli/support/runCli.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** Made by FAISS itself; see make.py beside them. */
const fixture = (name: 'ip' | 'l2') =>
  fileURLToPath(new URL(`../fixtures/faiss/${name}.index`, import.meta.url));
const PASSAGES = 5;
const DIMENSIONS = 8;
const HEADER_BYTES = 45;
/** What make.py asks, and what FAISS answers. */
const query = Float32Array.from([-3, -2, -1, 0, 1, 2, 3, 4]);
const answers = {
  ip: [
    [2, 3.1656627655029297],
    [5, 3.03098201751709],
    [1, 2.7762842178344727],
    [3, 1.8198987245559692],
    [4, -3.902935266494751],
  ],
  l2: [
    [2, -40.02442932128906],
    [1, -42.394866943359375],
    [5, -42.463645935058594],
    [3, -52.78134536743164],
    [4, -61.074405670166016],
  ],
} as const;

/** A flat index by its documented layout. */
function faissFile(kind: 'IxFI' | 'IxF2', vectors: readonly Float32Array[]): Buffer {
  const dimensions = vectors[0]!.length;
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(kind, 0, 'latin1');
  header.writeInt32LE(dimensions, 4);
  header.writeBigInt64LE(BigInt(vectors.length), 8);
  header.writeBigInt64LE(1n << 20n, 16);
  header.writeBigInt64LE(1n << 20n, 24);
  header.writeUInt8(1, 32);
  header.writeInt32LE(kind === 'IxF2' ? 1 : 0, 33);
  header.writeBigUInt64LE(BigInt(vectors.length * dimensions), 37);
  return Buffer.concat([header, ...vectors.map((vector) => Buffer.from(vector.buffer.slice(0)))]);
}

function written(bytes: Uint8Array): string {
  const file = path.join(temporaryFolder(), 'flat.index');
  writeFileSync(file, bytes);
  return file;
}

describe.each(['ip', 'l2'] as const)('a file of FAISS (%s)', (name) => {
  test('is searched as FAISS searches it', () => {
    const index = openFaissIndex(fixture(name), PASSAGES);
    for (const limit of [1, 3, PASSAGES, 100]) {
      const found = index.search(query, limit);
      expect(found.map(({ number }) => number)).toEqual(
        answers[name].map(([number]) => number).slice(0, limit),
      );
      for (const [at, { score }] of found.entries()) expect(score).toBeCloseTo(answers[name][at]![1], 4);
    }
    index.close();
  });

  test('has the layout that these tests write', () => {
    const bytes = readFileSync(fixture(name));
    const vectors = Array.from({ length: PASSAGES }, (_, n) => {
      const start = HEADER_BYTES + 4 * DIMENSIONS * n;
      return new Float32Array(
        bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + start + 4 * DIMENSIONS),
      );
    });
    expect(faissFile(name === 'ip' ? 'IxFI' : 'IxF2', vectors)).toEqual(bytes);
  });
});

test('finds what comparing with every vector finds, over many chunks', () => {
  const whole = fc.integer({ min: -9, max: 9 });
  const shape = fc.record({
    kind: fc.constantFrom('IxFI' as const, 'IxF2' as const),
    dimensions: fc.constantFrom(1, 2, 3, 7, 8, 65_536),
    count: fc.integer({ min: 1, max: 40 }),
    limit: fc.integer({ min: 1, max: 50 }),
    seeds: fc.array(whole, { minLength: 5, maxLength: 50 }),
  });
  fc.assert(
    fc.property(shape, ({ kind, dimensions, count, limit, seeds }) => {
      const entryOf = (n: number, at: number) => seeds[(n * 31 + at * 7 + ((n * at) >> 3)) % seeds.length]!;
      const vectors = Array.from({ length: count }, (_, n) =>
        Float32Array.from({ length: dimensions }, (_, at) => entryOf(n, at)),
      );
      const asked = Float32Array.from({ length: dimensions }, (_, at) => entryOf(count, at));
      const scoreOf = (vector: Float32Array) =>
        vector.reduce(
          (sum, value, at) => sum + (kind === 'IxFI' ? value * asked[at]! : -((value - asked[at]!) ** 2)),
          0,
        );
      const expected = vectors
        .map((vector, n) => ({ number: n + 1, score: scoreOf(vector) }))
        .sort((one, other) => other.score - one.score || one.number - other.number)
        .slice(0, limit);
      const index = openFaissIndex(written(faissFile(kind, vectors)), count);
      const found = index.search(asked, limit);
      index.close();
      // Whole numbers: every sum is exact, whatever its order.
      expect(found.map(({ number, score }) => ({ number, score: score + 0 }))).toEqual(
        expected.map(({ number, score }) => ({ number, score: score + 0 })),
      );
    }),
    { numRuns: 40 },
  );
});

describe('what is refused', () => {
  const good = readFileSync(fixture('ip'));
  const changed = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(good);
    change(bytes);
    return written(bytes);
  };

  test.each<[string, () => string, RegExp]>([
    ['no file', () => '/none/x.index', /there is no such FAISS index/],
    ['a folder', () => temporaryFolder(), /expected a file/],
    [
      'a pipe',
      () => {
        const pipe = path.join(temporaryFolder(), 'pipe');
        execFileSync('mkfifo', [pipe]);
        return pipe;
      },
      /expected a file/,
    ],
    ['an empty file', () => written(Buffer.alloc(0)), /expected a flat FAISS index.*begins with ""/],
    [
      'another kind of index',
      () => changed((bytes) => bytes.write('IHNf')),
      /got a file that begins with "IHNf"/,
    ],
    ['half a header', () => written(good.subarray(0, 20)), /damaged/],
    ['a file that is cut', () => written(good.subarray(0, -1)), /damaged/],
    ['a file with more behind it', () => written(Buffer.concat([good, Buffer.alloc(4)])), /damaged/],
    ['no dimensions', () => changed((bytes) => bytes.writeInt32LE(0, 4)), /damaged/],
    ['negative dimensions', () => changed((bytes) => bytes.writeInt32LE(-8, 4)), /damaged/],
    ['dimensions without end', () => changed((bytes) => bytes.writeInt32LE(2 ** 31 - 1, 4)), /damaged/],
    ['negative vectors', () => changed((bytes) => bytes.writeBigInt64LE(-5n, 8)), /damaged/],
    [
      'so many vectors that sizes overflow',
      () =>
        changed((bytes) => {
          bytes.writeBigInt64LE(2n ** 62n, 8);
          bytes.writeBigUInt64LE(2n ** 63n, 37);
        }),
      /damaged/,
    ],
    ['a metric that its kind has not', () => changed((bytes) => bytes.writeInt32LE(1, 33)), /damaged/],
    [
      'the vectors of another corpus',
      () => written(faissFile('IxFI', [Float32Array.of(1), Float32Array.of(2)])),
      /2 vectors for 5 passages; .*of the corpus of the passage index/,
    ],
  ])('%s', (_, file, message) => {
    expect(() => openFaissIndex(file(), PASSAGES)).toThrow(UserError);
    expect(() => openFaissIndex(file(), PASSAGES)).toThrow(message);
  });

  test('any bytes: no other error, and no search without end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isOurs) => {
        const file = written(isOurs ? Buffer.concat([good.subarray(0, 4), bytes]) : bytes);
        expect(() => openFaissIndex(file, PASSAGES)).toThrow(UserError);
      }),
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('a vector with %s, when a search meets it', (value) => {
    const index = openFaissIndex(
      changed((bytes) => bytes.writeFloatLE(value, HEADER_BYTES + 4 * DIMENSIONS)),
      PASSAGES,
    );
    expect(() => index.search(query, 1)).toThrow(/vector of passage 2 is not finite.*damaged/);
    index.close();
  });

  test('a query of other dimensions, and a file that is cut while it is open', () => {
    const file = written(good);
    const index = openFaissIndex(file, PASSAGES);
    expect(() => index.search(Float32Array.of(1), 1)).toThrow(/a query has 1 dimensions and .* 8/);
    truncateSync(file, 100);
    expect(() => index.search(query, 1)).toThrow(/became shorter/);
    index.close();
  });
});

test('is told from an index with other vectors', () => {
  const identityOf = (file: string) => {
    const index = openFaissIndex(file, PASSAGES);
    index.close();
    return index.identity;
  };
  const bytes = readFileSync(fixture('ip'));
  expect(identityOf(written(bytes))).toBe(identityOf(fixture('ip')));
  bytes.writeFloatLE(0.5, HEADER_BYTES);
  expect(identityOf(written(bytes))).not.toBe(identityOf(fixture('ip')));
});

async function corpusIn(folder: string) {
  mkdirSync(folder, { recursive: true });
  const corpus = path.join(folder, 'corpus.jsonl');
  const rows = ['a', 'b', 'c', 'd', 'e'].map((id) =>
    JSON.stringify({ id, contents: `"${id}"\nPassage ${id}.` }),
  );
  writeFileSync(corpus, `${rows.join('\n')}\n`);
  return corpus;
}

test('passages are found by the vectors of a FAISS index', async () => {
  const folder = temporaryFolder();
  const { file, meta } = await keepPassageIndex(await corpusIn(folder), path.join(folder, 'cache'));
  const retriever = createIndexRetriever({
    files: { index: file, vectors: { format: 'faiss', file: fixture('ip') } },
    passages: meta.passages,
    mode: 'dense',
    embeddings: { model: async () => ({ embed: async (texts) => texts.map(() => query) }), queryPrefix: '' },
  });
  const [found] = await retriever.retrieve(['x'], 2, new AbortController().signal);
  expect(found!.map(({ id }) => id)).toEqual(['b', 'e']);
  await retriever.close();
});

test('the configuration names it, and a damaged one is one line', async () => {
  const folder = temporaryFolder();
  await corpusIn(folder);
  await runCli(['tools', 'index', 'corpus.jsonl', '--out', 'c.sqlite'], { cwd: folder });
  const config = (faiss: string) =>
    writeFileSync(
      path.join(folder, 'coa.yaml'),
      `tools:\n  wiki_search:\n    index: c.sqlite\n    mode: dense\n    dense: { model: { model: m, endpoint: { base_url: "http://127.0.0.1:9/v1", api_key_env: "", max_retries: 0 } }, faiss: ${faiss} }\n`,
    );
  const call = () => runCli(['tools', 'call', 'wiki_search', '--input', '{"query": "x"}'], { cwd: folder });
  writeFileSync(path.join(folder, 'cut.index'), readFileSync(fixture('ip')).subarray(0, 100));
  config('cut.index');
  const damaged = await call();
  expect(damaged.stderr.trim()).toMatch(
    /^error: .*cut\.index: a damaged FAISS index: its header does not fit the file$/,
  );
  expect(damaged.code).toBe(2);
  config(fixture('ip'));
  // It is opened, and the model is asked.
  expect((await call()).stderr).toContain('no connection to the model endpoint');
  const rebuilt = await runCli(['tools', 'index', 'corpus.jsonl', '--out', 'c.sqlite', '--dense'], {
    cwd: folder,
  });
  expect(rebuilt).toMatchObject({ code: 2, stderr: expect.stringContaining('dense.faiss is read as it is') });
});
