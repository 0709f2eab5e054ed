import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { auditFiles } from '../../../operations/audit/auditFiles.ts';
import type { AuditFinding } from '../../../schemas/audit.ts';
import { useThreads } from '../../base/threads/support/useThreads.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { writeDataset, writerOptions } from '../support/writeDataset.ts';

const rows = fc.sample(trajectoryArbitrary(), { numRuns: 6, seed: 3 });

test('an audit finds the same in the same order with any number of threads', async () => {
  const folder = path.join(temporaryFolder(), 'dataset');
  await writeDataset(rows, writerOptions(folder));
  // Two rows exchanged, one spoilt, the last one missing.
  const file = path.join(folder, 'llama_factory/train.jsonl');
  const [first, second, third, ...others] = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(file, [second, first, third!.slice(1), ...others.slice(0, -1), ''].join('\n'));
  const audited = [];
  for (const threads of [1, 3]) {
    useThreads(threads);
    const findings: AuditFinding[] = [];
    const totals = await auditFiles(folder, { onFinding: (finding) => void findings.push(finding) });
    audited.push({ totals, findings });
  }
  expect(audited[0]!.findings.length).toBeGreaterThan(3);
  for (const others of audited) expect(others).toEqual(audited[0]);
});
