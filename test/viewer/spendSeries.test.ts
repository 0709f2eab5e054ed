import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SpendSeries } from '../../viewer/server/describeRun.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('two pages that ask at once do not count a call twice', async () => {
  const folder = temporaryFolder();
  const lines = Array.from({ length: 5_000 }, () => '{"at":"2026-11-22T00:00:01Z","event":"model_call"}\n');
  writeFileSync(join(folder, 'events.jsonl'), lines.join(''));
  writeFileSync(join(folder, 'spending.jsonl'), '');
  const spend = new SpendSeries(folder);
  const minutes = await Promise.all([spend.read(), spend.read()]);
  for (const [minute] of minutes) expect(minute?.calls).toBe(5_000);
});
