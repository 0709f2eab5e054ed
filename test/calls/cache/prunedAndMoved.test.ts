import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealedLine } from '../../../base/journal/sealed.ts';
import { cacheStats, type PruneChoice, pruneCache } from '../../../calls/cache/cacheStats.ts';
import { SqliteAnswerCache } from '../../../calls/cache/sqliteAnswerCache.ts';
import { exportAnswers, exportedLine, importAnswers } from '../../../calls/cache/transferAnswers.ts';
import type { CachedAnswer } from '../../../schemas/run/cachedAnswer.ts';

import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { sampleAnswer } from './support/sampleAnswer.ts';

async function filled(path: string, answers: readonly CachedAnswer[]): Promise<string> {
  const cache = await SqliteAnswerCache.open(path, () => {});
  await Promise.all(answers.map((answer) => cache.store(answer)));
  await cache.close();
  return path;
}

async function answersIn(path: string): Promise<CachedAnswer[]> {
  const answers: CachedAnswer[] = [];
  for await (const answer of exportAnswers(path)) answers.push(answer);
  return answers;
}

const bytesOf = ({ answer }: CachedAnswer) => Buffer.byteLength(JSON.stringify(answer));

describe('prune', () => {
  test('removes what the choice names and nothing else, and gives the room back', async () => {
    const folder = temporaryFolder();
    let file = 0;
    const choiceArbitrary = fc.record(
      {
        name: fc.constantFrom('web_search', 'other'),
        before: fc.nat(30).map((n) => sampleAnswer(n).created_at),
        maxBytes: fc.nat(800),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(choiceArbitrary, fc.nat(25), async (choice: PruneChoice, count) => {
        const answers = Array.from({ length: count }, (_, n) =>
          sampleAnswer(n, {
            ...(n % 3 === 0 && { name: 'other' }),
            answer: { observation: 'ä'.repeat(n), raw: null },
          }),
        );
        const path = await filled(join(folder, `${file++}.sqlite`), answers);
        const stays = (answer: CachedAnswer, n: number) => {
          const fromNewest = answers.slice(n).reduce((sum, newer) => sum + bytesOf(newer), 0);
          const goes =
            (choice.name === undefined || answer.name === choice.name) &&
            (choice.before === undefined || answer.created_at < choice.before) &&
            (choice.maxBytes === undefined || fromNewest > choice.maxBytes);
          return !goes;
        };
        const kept = answers.filter(stays);
        const expected = { removed: count - kept.length, left: kept.length };
        expect(await pruneCache(path, choice, true)).toMatchObject(expected);
        expect(await answersIn(path)).toEqual(answers);
        expect(await pruneCache(path, choice, false)).toMatchObject(expected);
        expect(await answersIn(path)).toEqual(kept);
      }),
      { numRuns: 25 },
    );
  });

  test('makes the file smaller', async () => {
    const path = join(temporaryFolder(), 'a.sqlite');
    await filled(
      path,
      Array.from({ length: 300 }, (_, n) =>
        sampleAnswer(n, { answer: { observation: 'x'.repeat(2_000), raw: null } }),
      ),
    );
    const before = (await cacheStats(path)).file_bytes;
    await pruneCache(path, { maxBytes: 20_000 }, false);
    expect((await cacheStats(path)).file_bytes).toBeLessThan(before / 5);
  });
});

test('what is exported and imported is the same, the oldest first, and twice adds nothing', async () => {
  const folder = temporaryFolder();
  const finding = { kind: 'finding', answer: { takes_no_tools: 'no tools here' } } as const;
  const answers = Array.from({ length: 450 }, (_, n) => sampleAnswer(n, n % 2 ? finding : {}));
  const path = await filled(join(folder, 'a.sqlite'), answers.toReversed());
  expect(await answersIn(path)).toEqual(answers);
  const lines = join(folder, 'answers.jsonl');
  const exported = answers.map(exportedLine).join('');
  writeFileSync(lines, `${exported}${exportedLine(answers[7]!)}`);
  const other = join(folder, 'other.sqlite');
  expect(await importAnswers(other, lines, () => {})).toEqual({ added: 450, known: 1 });
  expect(await importAnswers(other, lines, () => {})).toEqual({ added: 0, known: 451 });
  expect(await answersIn(other)).toEqual(answers);
  writeFileSync(lines, exported.replace('answer 4"', 'answer 5"'));
  await expect(importAnswers(other, lines, () => {})).rejects.toThrow(
    /answers\.jsonl:5: .*checksum is wrong/,
  );
});

test.each([
  ['not JSON', '{"kind":', /answers\.jsonl:2: .*; expected a line of a cache export/],
  [
    'another shape',
    sealedLine({ kind: 'model' }),
    /answers\.jsonl:2: request: .*expected a line of a cache export/,
  ],
  [
    'an answer that its kind can not be',
    sealedLine({ ...sampleAnswer(2), kind: 'model' }),
    /answers\.jsonl:2: answer\.model: .*expected a line of a cache export/,
  ],
  [
    'nested without end',
    JSON.stringify(sampleAnswer(2)).replace('null', `${'['.repeat(50_000)}${']'.repeat(50_000)}`),
    /answers\.jsonl:2: .*nested deeper than 1000 levels/,
  ],
  ['what a terminal would obey', '{"\u001b[2J": 1}', /^[^\p{Cc}]*$/u],
  ['without checksum', JSON.stringify(sampleAnswer(2)), /answers\.jsonl:2: its checksum is missing/],
])('a line that is %s is named, and nothing is imported', async (_what, line, message) => {
  const folder = temporaryFolder();
  const lines = join(folder, 'answers.jsonl');
  writeFileSync(lines, `${exportedLine(sampleAnswer(1))}${line}\n`);
  const path = join(folder, 'a.sqlite');
  await expect(importAnswers(path, lines, () => {})).rejects.toThrow(message);
  expect(existsSync(path)).toBe(false);
});

test('a cache that somebody wrote nonsense into is still counted, exported and pruned', async () => {
  const path = await filled(join(temporaryFolder(), 'a.sqlite'), [sampleAnswer(1), sampleAnswer(2)]);
  const database = new DatabaseSync(path);
  database
    .prepare('UPDATE answers SET answer = ? WHERE request = ?')
    .run('{"usage":', sampleAnswer(1).request);
  database.close();
  expect(await cacheStats(path)).toMatchObject({ answers: 2, groups: [{ prompt_tokens: 0 }] });
  expect(await answersIn(path)).toEqual([sampleAnswer(2)]);
  expect(await pruneCache(path, { maxBytes: 0 }, false)).toMatchObject({ removed: 2 });
});

test('looking at a cache does not make one, nor move a damaged one', async () => {
  const path = join(temporaryFolder(), 'a.sqlite');
  await expect(cacheStats(path)).rejects.toThrow(/there is no cache/);
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, 'x'.repeat(10_000));
  await expect(cacheStats(path)).rejects.toThrow(/is damaged, or not a cache/);
  expect(readFileSync(path, 'utf8')).toBe('x'.repeat(10_000));
});
