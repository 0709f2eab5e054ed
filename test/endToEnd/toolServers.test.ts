import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import { finished, runWell, startCli } from '../cli/support/runCli.ts';
import { isFull } from '../support/cases.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { bundledProject, runLines } from './support/bundledProject.ts';

const KEY = 'sk-key-of-the-tool-servers';

/** Starts `coa-distill serve tools` for a project's tools on free ports. */
async function startServers(project: string) {
  writeFileSync(
    join(project, 'servers.yaml'),
    `tools:
  wiki_search: { corpus: passages.jsonl }
  site: { folder: site }
  web_search: {}
`,
  );
  const child = startCli(
    ['serve', 'tools', '--config', 'servers.yaml', '--port', 'web_search=0', '--port', 'wiki_search=0'],
    {
      cwd: project,
      env: { COA_TOOLS_KEY: KEY },
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = finished(child);
  let printed = '';
  child.stdout!.on('data', (chunk) => (printed += String(chunk)));
  await waitUntil('the addresses', () => printed.includes('Ctrl-C'), { child });
  const addressOf = (name: string) => new RegExp(`^${name} +POST (\\S+)$`, 'm').exec(printed)![1]!;
  return {
    webSearch: new URL(addressOf('web_search')).origin,
    retrieve: addressOf('wiki_search'),
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const cases = [
  ['mhqa', ['mhqa-01', 'mhqa-02', 'mhqa-03'], 'wiki_search'],
  ['web', ['web-01', 'web-02', 'web-03'], 'web_search'],
] as const;

test.each(isFull ? cases : cases.slice(0, 1))(
  'a run of profile %s through the servers gives the bytes of one without them',
  async (profile, taskIds, used) => {
    const local = bundledProject({ taskIds, profile });
    const servers = await startServers(local);
    const remote = bundledProject({
      taskIds,
      profile,
      tools: {
        web_search: { base_url: servers.webSearch, api_key_env: 'TOOLS_KEY' },
        wiki_search: { url: servers.retrieve, api_key_env: 'TOOLS_KEY' },
      },
    });
    for (const cwd of [local, remote]) {
      await runWell(['run'], { cwd, env: { TOOLS_KEY: KEY } });
      expect(runLines<LedgerEntry>(cwd, 'rollout/ledger.jsonl')).toEqual([]);
    }
    expect(rowsOf(remote)).toEqual(rowsOf(local));
    const { code, stderr } = await servers.stop();
    expect(code).toBe(143);
    const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
    const requests = lines.map((line) => JSON.parse(line) as { server: string; status: number });
    expect(requests.length).toBeGreaterThan(2);
    for (const request of requests) expect(request).toMatchObject({ server: used, status: 200 });
    expect(stderr).not.toContain(KEY);
  },
);

/** What trainers read; the manifest beside it also says what the configuration was. */
function rowsOf(project: string): Record<string, string> {
  const folder = join(project, 'runs/coa/dataset');
  const hashes = Object.entries(folderHashes(folder)).filter(([file]) => /\.(jsonl|parquet)$/.test(file));
  expect(hashes.length).toBeGreaterThan(0);
  for (const [file] of hashes) expect(readFileSync(join(folder, file)).length).toBeGreaterThan(100);
  return Object.fromEntries(hashes);
}
