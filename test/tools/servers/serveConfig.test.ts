import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprintConfig } from '../../../pipeline/config/fingerprintConfig.ts';
import { loadConfig } from '../../../pipeline/config/loadConfig.ts';
import { serveConfigSchema } from '../../../schemas/config/tools/serve.ts';
import { createProject } from '../../cli/support/project.ts';

test('how tools are served shapes no record: a run goes on after it was changed', async () => {
  const file = join(createProject(), 'coa.yaml');
  const before = await fingerprintConfig(await loadConfig(file));
  const served = '  serve: { host: 0.0.0.0, timeout_s: 5, ports: { wiki_search: 8080 } }\n';
  writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd()}\n${served}`);
  const loaded = await loadConfig(file);
  expect(loaded.config.tools.serve).toMatchObject({ host: '0.0.0.0', ports: { wiki_search: 8080 } });
  expect(await fingerprintConfig(loaded)).toEqual(before);
});

test('the defaults are AFM’s ports, on the loopback, open to whoever is there', () => {
  expect(serveConfigSchema.parse({})).toMatchObject({
    host: '127.0.0.1',
    ports: { web_search: 9001, crawl_page: 9000, wiki_search: 8000 },
    api_key_env: '',
  });
});

test('timeout_s is no longer than timers can wait', () => {
  // Node ends longer waits at once.
  expect(serveConfigSchema.safeParse({ timeout_s: 2_147_484 }).success).toBe(false);
  expect(serveConfigSchema.parse({ timeout_s: 1_000_000 })).toMatchObject({ timeout_s: 1_000_000 });
});
