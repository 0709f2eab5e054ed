import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFiles } from '../../../operations/checkFiles.ts';
import type { Finding } from '../../../output/check/rules.ts';
import { useThreads } from '../../base/threads/support/useThreads.ts';
import { alpacaRow, cleanText, spoiltText } from '../../support/datasetRows.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { writeDataset, writerOptions } from '../support/writeDataset.ts';

const rows = fc.sample(trajectoryArbitrary(), { numRuns: 6, seed: 3 });

async function checkedWith(threads: number, given: string) {
  useThreads(threads);
  const findings: Finding[] = [];
  const onFinding = (finding: Finding) => void findings.push(finding);
  const outcome = await checkFiles([given], { onFinding }).catch((error: Error) => error.message);
  return { outcome, findings };
}

test('findings are the same in the same order with any number of threads', async () => {
  const folder = path.join(temporaryFolder(), 'dataset');
  await writeDataset(rows, writerOptions(folder));
  // Two rows exchanged, one spoilt, the last one missing.
  const file = path.join(folder, 'llama_factory/train.jsonl');
  const [first, second, third, ...others] = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(file, [second, first, third!.slice(1), ...others.slice(0, -1), ''].join('\n'));
  const alone = await checkedWith(1, folder);
  expect(alone.findings.length).toBeGreaterThan(3);
  expect(await checkedWith(3, folder)).toEqual(alone);
});

test('so are places, and the error of a torn file after the findings before it', async () => {
  const file = path.join(temporaryFolder(), 'rows.jsonl');
  const lines = Array.from({ length: 200 }, (_, at) =>
    at % 7 === 3 ? '{"broken": ' : JSON.stringify(alpacaRow(at % 3 === 0 ? spoiltText : cleanText)),
  );
  writeFileSync(file, `${lines.join('\n')}\n{"instruction": "cut`);
  const alone = await checkedWith(1, file);
  expect(alone.outcome).toMatch(/ends in the middle of row 201/);
  expect(new Set(alone.findings.map(({ row }) => row)).size).toBeGreaterThan(80);
  expect(await checkedWith(3, file)).toEqual(alone);
});
