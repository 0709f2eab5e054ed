import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { judgeMath } from '../../stages/judge/math/judgeMath.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { mathGolds } from '../support/mathGolds.ts';
import { mutationsOf } from '../support/mathMutations/mutationsOf.ts';
import { releasedPath } from '../support/releasedData.ts';
import { pythonScript, runPython } from '../trainers/support/runPython.ts';

/** A pair about which our judge and math-verify differ. */
interface Disagreement {
  readonly gold: string;
  readonly answer: string;
  /** What our judge says. */
  readonly ours: 'correct' | 'incorrect' | 'undecided';
}

const root = path.resolve(import.meta.dirname, '../..');
const folder = sharedFolder();
/** One for each row of MATH-500, some of which have the same gold answer. */
let golds: string[];
let pairs: (readonly [gold: string, answer: string])[];
let found: Disagreement[];

beforeAll(async () => {
  golds = await mathGolds(releasedPath('math500.parquet'));
  pairs = [...new Set(golds)].flatMap((gold) =>
    mutationsOf(gold).map(({ answer }) => [gold, answer] as const),
  );
  const theirs = await mathVerify();
  found = pairs.flatMap(([gold, answer], at) => {
    const ours = judgeMath(answer, gold, 1e-9).judgement;
    return ours === (theirs[at] ? 'correct' : 'incorrect') ? [] : [{ gold, answer, ours }];
  });
});

async function mathVerify(): Promise<boolean[]> {
  const file = path.join(folder, 'pairs.jsonl');
  writeFileSync(file, pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''));
  const args = [pythonScript('verify_math.py'), file];
  const lines = (await runPython({ environment: 'mathverify', args, folder })).split('\n');
  const answers = lines.slice(0, pairs.length);
  expect(answers.filter((line) => !/^(?:true|false)$/.test(line))).toEqual([]);
  return answers.map((line) => line === 'true');
}

test('our judge agrees with math-verify on at least 99 of 100 mutations of the answers of MATH-500', () => {
  const inRows = (ofGold: readonly { readonly gold: string }[]) =>
    golds.reduce((count, row) => count + ofGold.filter(({ gold }) => gold === row).length, 0);
  const compared = inRows(pairs.map(([gold]) => ({ gold })));
  expect(golds).toHaveLength(500);
  expect(compared).toBeGreaterThan(10 * golds.length);
  expect(1 - inRows(found) / compared).toBeGreaterThanOrEqual(0.99);
});

test('the two differ on the listed pairs and on no other', () => {
  const listed = readDisagreements().map(({ gold, answer, ours }) => ({ gold, answer, ours }));
  const key = (pair: Disagreement) => JSON.stringify([pair.gold, pair.answer, pair.ours]);
  expect(found.map(key).sort()).toEqual(listed.map(key).sort());
});

test('the description argues each kind of disagreement', () => {
  const page = readFileSync(path.join(root, 'docs/judging-maths.md'), 'utf8');
  for (const { reason } of readDisagreements()) expect(page).toContain(`| \`${reason}\` |`);
});

function readDisagreements(): (Disagreement & { readonly reason: string })[] {
  const lines = readFileSync(path.join(import.meta.dirname, 'mathVerifyDisagreements.jsonl'), 'utf8');
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
