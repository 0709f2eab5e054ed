import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../base/ids.ts';
import { UserError } from '../../../base/userError.ts';
import { SqliteAnswerCache } from '../../../calls/cache/sqliteAnswerCache.ts';
import { type CachedAnswer, cachedToolAnswerSchema } from '../../../schemas/run/cachedAnswer.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { sampleAnswer } from './support/sampleAnswer.ts';

async function openIn(folder: string, lines: string[] = []): Promise<SqliteAnswerCache> {
  return SqliteAnswerCache.open(join(folder, 'cache.sqlite'), (line) => lines.push(line));
}

const text = fc.string({ unit: 'grapheme' });
const saidArbitrary = fc.oneof(
  fc.record({
    kind: fc.constant('tool' as const),
    answer: fc.record({ observation: text, raw: fc.jsonValue() }),
  }),
  fc.record({ kind: fc.constant('finding' as const), answer: fc.record({ takes_no_tools: text }) }),
  fc.record({
    kind: fc.constant('definition' as const),
    answer: fc.record({ description: text, parameters: fc.dictionary(text, fc.jsonValue()) }),
  }),
) as fc.Arbitrary<Pick<CachedAnswer, 'kind' | 'answer'>>;
const keyArbitrary = fc.record({
  request: text.map(sha256Hex),
  provider: text,
  name: text,
  sample: fc.nat(),
  task_id: text,
  created_at: fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(2e12) })
    .map((at) => at.toISOString()),
});
const answerArbitrary: fc.Arbitrary<CachedAnswer> = fc
  .tuple(keyArbitrary, saidArbitrary)
  .map(([key, said]) => ({ ...key, ...said }));

describe('the cache', () => {
  test('gives back what was stored, of two answers to one request the first, also when it is opened again', async () => {
    const folder = temporaryFolder();
    const first = new Map<string, CachedAnswer>();
    await fc.assert(
      fc.asyncProperty(fc.array(answerArbitrary, { maxLength: 20 }), async (answers) => {
        const cache = await openIn(folder);
        await Promise.all(answers.map((answer) => cache.store(answer)));
        await cache.close();
        for (const answer of answers) {
          const key = JSON.stringify([answer.request, answer.provider]);
          first.set(key, first.get(key) ?? answer);
        }
        await using again = await openIn(folder);
        for (const answer of answers) {
          const expected = first.get(JSON.stringify([answer.request, answer.provider]));
          expect(await again.lookup(answer)).toEqual(JSON.parse(JSON.stringify(expected)));
        }
        expect(await again.lookup({ request: sha256Hex('never'), provider: '' })).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  test('keeps every key of an answer, whatever it is called', async () => {
    await using cache = await openIn(temporaryFolder());
    const raw = JSON.parse('{"__proto__": 1, "a": {"__proto__": {"b": 2}, "constructor": null}}');
    await cache.store(sampleAnswer(1, { answer: { observation: '', raw } }));
    const kept = await cache.lookup(sampleAnswer(1));
    expect(JSON.stringify(cachedToolAnswerSchema.parse(kept?.answer).raw)).toBe(JSON.stringify(raw));
  });

  test('says which of two answers is kept, also when they come at once', async () => {
    const folder = temporaryFolder();
    const [one, other] = [await openIn(folder), await openIn(folder)];
    const [mine, yours] = ['mine', 'yours'].map((observation) =>
      sampleAnswer(1, { answer: { observation, raw: null } }),
    );
    expect(await one.store(mine!)).toBe(mine);
    expect(
      await Promise.all([other.store(yours!), other.store(yours!), other.store(sampleAnswer(2))]),
    ).toEqual([mine, mine, sampleAnswer(2)]);
    await one.close();
    await other.close();
  });

  test('finds a request without knowing who answered, unless two did', async () => {
    await using cache = await openIn(temporaryFolder());
    const mine = sampleAnswer(1);
    await cache.store(mine);
    expect(await cache.lookupRequest(mine.request)).toEqual(mine);
    await cache.store({ ...mine, provider: 'https://two.example/v1' });
    expect(await cache.lookupRequest(mine.request)).toBeUndefined();
    expect(await cache.lookup(mine)).toEqual(mine);
  });

  test('holds an answer on the disk before it says so: another reader sees it', async () => {
    const folder = temporaryFolder();
    await using cache = await openIn(folder);
    for (let n = 0; n < 20; n++) {
      await cache.store(sampleAnswer(n));
      using other = new DatabaseSync(join(folder, 'cache.sqlite'), { readOnly: true });
      expect(other.prepare('SELECT count(*) AS n FROM answers').get()).toEqual({ n: n + 1 });
    }
  });

  test('gives back nothing of what is no answer, and takes the answer that is asked for in its place', async () => {
    const folder = temporaryFolder();
    await using cache = await openIn(folder);
    const answers = [0, 1, 2].map((n) => sampleAnswer(n));
    await Promise.all(answers.map((answer) => cache.store(answer)));
    const other = new DatabaseSync(join(folder, 'cache.sqlite'));
    const spoil = other.prepare('UPDATE answers SET answer = ? WHERE request = ?');
    spoil.run('{"observation":', answers[0]!.request);
    spoil.run('{"observation": 7, "raw": null}', answers[1]!.request);
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    spoil.run(`{"observation": "x", "raw": ${deep}}`, answers[2]!.request);
    other.close();
    for (const answer of answers) {
      expect(await cache.lookup(answer)).toBeUndefined();
      await cache.store(answer);
      expect(await cache.lookup(answer)).toEqual(answer);
    }
  });

  test('an answer that can not be written as JSON takes no others with it', async () => {
    await using cache = await openIn(temporaryFolder());
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const bad = cache.store(sampleAnswer(1, { answer: { observation: 'x', raw: deep } }));
    const good = cache.store(sampleAnswer(2));
    await expect(bad).rejects.toThrow(RangeError);
    await good;
    expect(await cache.lookup(sampleAnswer(2))).toEqual(sampleAnswer(2));
  });

  test('is shared by several writers at once without losing or mixing answers', async () => {
    const folder = temporaryFolder();
    const writers = await Promise.all(Array.from({ length: 4 }, () => openIn(folder)));
    const answers = Array.from({ length: 400 }, (_, n) => sampleAnswer(n));
    await Promise.all(answers.map((answer, n) => writers[n % 4]!.store(answer)));
    for (const answer of answers) {
      for (const reader of writers) expect(await reader.lookup(answer)).toEqual(answer);
    }
    await Promise.all(writers.map((writer) => writer.close()));
  });
});

describe('a damaged cache', () => {
  const damages: [string, (path: string) => void][] = [
    ['no database', (path) => writeFileSync(path, 'x'.repeat(5_000))],
    ['cut in the middle', (path) => truncateSync(path, Math.floor(statSync(path).size / 2) - 100)],
    [
      'with a spoilt first page',
      (path) => {
        const bytes = readFileSync(path);
        bytes.fill(0x55, 100, 4_000);
        writeFileSync(path, bytes);
      },
    ],
  ];

  test.each(damages)('(%s) is kept aside, named in a line, and a new one is begun', async (_what, damage) => {
    const folder = temporaryFolder();
    const path = join(folder, 'cache.sqlite');
    const whole = await openIn(folder);
    await Promise.all(Array.from({ length: 300 }, (_, n) => whole.store(sampleAnswer(n))));
    await whole.close();
    damage(path);
    const lines: string[] = [];
    const cache = await openIn(folder, lines);
    for (let n = 0; n < 300; n++) {
      if (!(await cache.lookup(sampleAnswer(n)))) await cache.store(sampleAnswer(n));
    }
    for (let n = 0; n < 300; n++) expect(await cache.lookup(sampleAnswer(n))).toEqual(sampleAnswer(n));
    await cache.close();
    expect(lines).toEqual([expect.stringMatching(/cache\.sqlite is damaged: it is kept as .*\.damaged/)]);
    expect(existsSync(`${path}.damaged`)).toBe(true);
  });

  test('is set aside once, however many find the damage at the same time', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'cache.sqlite'), 'x'.repeat(5_000));
    const lines: string[] = [];
    const caches = await Promise.all(Array.from({ length: 6 }, () => openIn(folder, lines)));
    await Promise.all(caches.map((cache, n) => cache.store(sampleAnswer(n))));
    for (const cache of caches) {
      for (let n = 0; n < 6; n++) expect(await cache.lookup(sampleAnswer(n))).toEqual(sampleAnswer(n));
    }
    await Promise.all(caches.map((cache) => cache.close()));
    expect(lines).toHaveLength(1);
  });
});

test('another database under the name is refused and stays as it is', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'cache.sqlite');
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE books (title TEXT)');
  database.close();
  const before = readFileSync(path);
  await expect(openIn(folder)).rejects.toThrow(
    /expected a cache of coa-distill, got another SQLite database/,
  );
  expect(readFileSync(path)).toEqual(before);
});

test('a folder that can not be is a mistake of the user', async () => {
  await expect(SqliteAnswerCache.open('/dev/null/cache.sqlite', () => {})).rejects.toThrow(UserError);
});
