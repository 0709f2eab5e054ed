import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sealedLine } from '../../../base/journal/sealed.ts';
import { cacheStats } from '../../../calls/cache/cacheStats.ts';
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

test('a cache that somebody wrote nonsense into is still counted and exported', async () => {
  const path = await filled(join(temporaryFolder(), 'a.sqlite'), [sampleAnswer(1), sampleAnswer(2)]);
  const database = new DatabaseSync(path);
  database
    .prepare('UPDATE answers SET answer = ? WHERE request = ?')
    .run('{"usage":', sampleAnswer(1).request);
  database.close();
  expect(await cacheStats(path)).toMatchObject({ answers: 2, groups: [{ prompt_tokens: 0 }] });
  expect(await answersIn(path)).toEqual([sampleAnswer(2)]);
});

test('looking at a cache does not make one, nor move a damaged one', async () => {
  const path = join(temporaryFolder(), 'a.sqlite');
  await expect(cacheStats(path)).rejects.toThrow(/there is no cache/);
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, 'x'.repeat(10_000));
  await expect(cacheStats(path)).rejects.toThrow(/is damaged, or not a cache/);
  expect(readFileSync(path, 'utf8')).toBe('x'.repeat(10_000));
});
