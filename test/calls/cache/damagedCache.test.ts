import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SqliteAnswerCache } from '../../../calls/cache/sqliteAnswerCache.ts';
import { cases } from '../../support/cases.ts';
import { type Damage, damageArbitrary, damaged } from '../../support/damage.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { sampleAnswer } from './support/sampleAnswer.ts';

/** Damages to the file, and as many to its log; a campaign sets more. */
const damages = cases(25, 'COA_CACHE_DAMAGES');

/** From answers of a line to such as fill ten pages. */
const answers = Array.from({ length: 120 }, (_, n) => {
  const length = n % 4 === 0 ? (n * 997) % 40_000 : (n * 131) % 1_500;
  return sampleAnswer(n, { answer: { observation: `${n} `.repeat(length / 4), raw: null } });
});

/** The files of a cache that was closed, or of one whose process was killed: half of the answers are in the log. */
async function filesOf(isClosed: boolean): Promise<Record<string, Buffer>> {
  const path = join(temporaryFolder(), 'cache.sqlite');
  for (const some of [answers.slice(0, 60), answers.slice(60)]) {
    const cache = await SqliteAnswerCache.open(path, () => {});
    await Promise.all(some.map((answer) => cache.store(answer)));
    if (!isClosed && some[0] !== answers[0]) {
      const files = { '': readFileSync(path), '-wal': readFileSync(`${path}-wal`) };
      await cache.close();
      return files;
    }
    await cache.close();
  }
  return { '': readFileSync(path) };
}

/** Damages that were once not noticed. */
const examples: [Damage][] = [
  [{ kind: 'byte', place: 0.000022421077806122447, value: 3 }],
  [{ kind: 'bits', places: [0.04955203034156976, 0] }],
];

describe.each([
  ['closed', true, ''],
  ['killed, its file', false, ''],
  ['killed, its log', false, '-wal'],
])('a cache that was %s', (_title, isClosed, target) => {
  test('gives back nothing but what was stored, says what is lost, and takes it again', async () => {
    const before = await filesOf(isClosed);
    let round = 0;
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(damageArbitrary, async (damage) => {
        const now = { ...before, [target]: damaged(before[target]!, damage) };
        const path = join(folder, `${round++}.sqlite`);
        for (const [end, bytes] of Object.entries(now)) writeFileSync(`${path}${end}`, bytes);
        const lines: string[] = [];
        const cache = await SqliteAnswerCache.open(path, (line) => lines.push(line));
        const found = await Promise.all(answers.map((answer) => cache.lookup(answer)));
        const missing = found.filter((answer) => !answer).length;
        const kept = await Promise.all(answers.map((answer, n) => found[n] ?? cache.store(answer)));
        expect(kept).toEqual(answers);
        await cache.close();
        const again = await SqliteAnswerCache.open(path, (line) => lines.push(line));
        for (const answer of answers) expect(await again.lookup(answer)).toEqual(answer);
        await again.close();
        // SQLite takes a file that is shorter than its header for a new one.
        if (missing > 0 && target === '' && now['']!.length >= 512) expect(lines).not.toEqual([]);
        expect(lines.length).toBeLessThanOrEqual(1);
        if (existsSync(`${path}.damaged`)) expect(readFileSync(`${path}.damaged`)).toEqual(now['']);
      }),
      { numRuns: damages, examples },
    );
  }, 600_000);
});
