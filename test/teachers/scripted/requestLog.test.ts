import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRequestLog } from '../../../teachers/scripted/startScriptedServer.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

test('entries are JSON lines, also after a restart', async () => {
  const file = join(temporaryFolder(), 'requests.jsonl');
  for (const status of [200, 429]) {
    const log = openRequestLog(file);
    log.write({ status });
    await log.close();
  }
  expect(readFileSync(file, 'utf8')).toBe('{"status":200}\n{"status":429}\n');
});

test('a full disk silences the log and is thrown when it is closed', async () => {
  const log = openRequestLog('/dev/full');
  log.write({ status: 200 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  log.write({ status: 200 });
  await expect(log.close()).rejects.toThrow(/ENOSPC/);
});
