import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../base/ids.ts';
import { answerRow } from '../../../calls/cache/answerRow.ts';
import { SqliteAnswerCache } from '../../../calls/cache/sqliteAnswerCache.ts';
import type { CachedAnswer } from '../../../schemas/run/cachedAnswer.ts';
import { cases } from '../../support/cases.ts';
import { type Damage, damageArbitrary, damaged } from '../../support/damage.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { sampleAnswer } from './support/sampleAnswer.ts';

/** Damages to the file, and as many to its log; a campaign sets more. */
const damages = cases(25, 'COA_CACHE_DAMAGES');

/** From answers of a line to such as fill ten pages. */
const answers = Array.from({ length: 120 }, (_, n) => {
  const length = n % 4 === 0 ? (n * 997) % 40_000 : (n * 131) % 1_500;
  return sampleAnswer(n, { answer: { observation: longText(n, length), raw: null } });
});

/** Text of which no twenty characters come twice. */
function longText(n: number, length: number): string {
  const parts = Array.from({ length: Math.ceil(length / 64) }, (_, part) => sha256Hex(`${n} ${part}`));
  return parts.join('').slice(0, length);
}

/** The files of a cache that was closed, or of one whose process was killed: half of the answers are in the log. */
async function filesOf(isClosed: boolean): Promise<Record<string, Buffer>> {
  const path = join(temporaryFolder(), 'cache.sqlite');
  const early = await SqliteAnswerCache.open(path, () => {});
  await Promise.all(answers.slice(0, 60).map((answer) => early.store(answer)));
  await early.close();
  dropOldCopies(path);
  const cache = await SqliteAnswerCache.open(path, () => {});
  for (let n = 60; n < answers.length; n += 10) {
    await Promise.all(answers.slice(n, n + 10).map((answer) => cache.store(answer)));
  }
  const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
  const file = readFileSync(path);
  await cache.close();
  dropOldCopies(path);
  return isClosed ? { '': readFileSync(path) } : { '': file, '-wal': log };
}

/**
 * Pages that were split keep old copies of rows, the root of the table too after VACUUM. Nobody promises to read them:
 * where a row is damaged and its page is not, SQLite finds nothing wrong, and the row alone is asked for again.
 */
function dropOldCopies(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA secure_delete = ON; VACUUM');
  database.close();
}

/** A stretch of one of the files. */
interface Stretch {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

/** Where an answer stands, piece by piece, each perhaps several times: found by its text, without knowing SQLite. */
function piecesOf(answer: CachedAnswer, files: Record<string, Buffer>): Stretch[][] {
  // SQLite writes the number 0 without a byte.
  const body = Buffer.from(
    answerRow(answer)
      .filter((value) => value !== 0)
      .join(''),
  );
  const pieces: Stretch[][] = [];
  for (let at = 0; at < body.length; ) {
    const start = body.subarray(at, at + 40);
    const places = Object.entries(files).flatMap(([file, bytes]) =>
      allPlaces(bytes, start).map((from) => ({ file, from, length: sameBytes(bytes, from, body, at) })),
    );
    expect(places).not.toEqual([]);
    const length = Math.max(...places.map((place) => place.length));
    pieces.push(
      places
        .filter((place) => place.length === length)
        .map(({ file, from }) => stretchAround(file, from, length)),
    );
    at += length;
  }
  return pieces;
}

/** A piece with what leads to it and on from it: lengths before the first, page numbers, the head of its frame. */
function stretchAround(file: string, from: number, length: number): Stretch {
  const page = file === '-wal' ? 32 + Math.floor((from - 32) / 4120) * 4120 : from - 20;
  return { file, from: Math.min(page, from - 20), to: from + length + 4 };
}

function allPlaces(bytes: Buffer, text: Buffer): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
  return places;
}

function sameBytes(bytes: Buffer, from: number, body: Buffer, at: number): number {
  let length = 0;
  while (at + length < body.length && bytes[from + length] === body[at + length]) length++;
  return length;
}

function isWhole(
  { file, from, to }: Stretch,
  before: Record<string, Buffer>,
  now: Record<string, Buffer>,
): boolean {
  return before[file]!.subarray(from, to).equals(now[file]!.subarray(from, to));
}

/** Damages that were once not noticed, or lost what could be read. */
const examples: [Damage][] = [
  [{ kind: 'byte', place: 0.000022421077806122447, value: 3 }],
  [{ kind: 'bits', places: [0.04955203034156976, 0] }],
  // The file is cut to 1 byte, which SQLite takes for a new one.
  [{ kind: 'cut', place: 0.0000012456154336734695 }],
  // The killed cache's, which is smaller.
  [{ kind: 'cut', place: 0.000003 }],
  // Fewer bytes than a page.
  ...[0, 0.00001, 0.0003, 0.001, 0.004].map((place): [Damage] => [{ kind: 'cut', place }]),
];

describe.each([
  ['closed', true, ''],
  ['killed, its file', false, ''],
  ['killed, its log', false, '-wal'],
])('a cache that was %s', (_title, isClosed, target) => {
  test('gives back every answer that can be read and no other, whatever is damaged, and says so', async () => {
    const before = await filesOf(isClosed);
    const pieces = answers.map((answer) => piecesOf(answer, before));
    let round = 0;
    const folder = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(damageArbitrary, async (damage) => {
        const now = { ...before, [target]: damaged(before[target]!, damage) };
        const path = join(folder, `${round++}.sqlite`);
        for (const [end, bytes] of Object.entries(now)) writeFileSync(`${path}${end}`, bytes);
        const lines: string[] = [];
        const cache = await SqliteAnswerCache.open(path, (line) => lines.push(line));
        const lost: number[] = [];
        let missing = 0;
        for (const [n, answer] of answers.entries()) {
          const found = await cache.lookup(answer);
          if (found) expect(found).toEqual(answer);
          else missing += 1;
          const isReadable = pieces[n]!.every((places) =>
            places.some((place) => isWhole(place, before, now)),
          );
          if (isReadable && !found) lost.push(n);
        }
        await cache.close();
        expect(lost).toEqual([]);
        // An empty file without a log is how a new cache begins.
        const holdsBytes = Object.values(now).some((bytes) => bytes.length > 0);
        if (missing > 0 && holdsBytes && target === '') expect(lines).not.toEqual([]);
      }),
      { numRuns: damages, examples },
    );
  }, 600_000);
});

test('zeros in the middle are said once; the answers that are lost are stored again', async () => {
  const path = join(temporaryFolder(), 'cache.sqlite');
  const bytes = (await filesOf(true))['']!;
  writeFileSync(path, bytes.fill(0, 20 * 4096, 21 * 4096));
  const lines: string[] = [];
  const cache = await SqliteAnswerCache.open(path, (line) => lines.push(line));
  for (const answer of answers)
    expect((await cache.lookup(answer)) ?? (await cache.store(answer))).toEqual(answer);
  await cache.close();
  const again = await SqliteAnswerCache.open(path, (line) => lines.push(line));
  for (const answer of answers) expect(await again.lookup(answer)).toEqual(answer);
  await again.close();
  expect(lines).toHaveLength(1);
});

test('a cache of the version without checksums is read, gets them, and is saved when it is damaged', async () => {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'cache.sqlite');
  const old = new DatabaseSync(path);
  old.exec(`CREATE TABLE answers (
    kind TEXT NOT NULL, request TEXT NOT NULL, provider TEXT NOT NULL, name TEXT NOT NULL, sample INTEGER NOT NULL,
    task_id TEXT NOT NULL, created_at TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (request, provider)
  ); PRAGMA application_id = ${0x436f6143}; PRAGMA user_version = 1; BEGIN`);
  const insert = old.prepare('INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  for (const answer of answers) insert.run(...answerRow(answer).slice(0, 8));
  old.exec('COMMIT');
  old.close();
  copyFileSync(path, join(folder, 'damaged.sqlite'));
  const lines: string[] = [];
  const cache = await SqliteAnswerCache.open(path, (line) => lines.push(line));
  for (const answer of answers) expect(await cache.lookup(answer)).toEqual(answer);
  await cache.close();
  expect(lines).toEqual([]);

  const bytes = readFileSync(join(folder, 'damaged.sqlite'));
  writeFileSync(join(folder, 'damaged.sqlite'), bytes.fill(0, 4096, 2 * 4096));
  const saved = await SqliteAnswerCache.open(join(folder, 'damaged.sqlite'), (line) => lines.push(line));
  const found = await Promise.all(answers.map((answer) => saved.lookup(answer)));
  await saved.close();
  expect(found.filter((answer) => answer !== undefined).length).toBeGreaterThan(100);
  for (const [n, answer] of found.entries()) if (answer) expect(answer).toEqual(answers[n]);
  expect(lines).toHaveLength(1);
});
