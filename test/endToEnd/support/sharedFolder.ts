import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** An empty folder for all tests of a file, removed after the last. */
export function sharedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coa-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
