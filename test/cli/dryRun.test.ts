import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { jsonLines, sampleTasks } from './support/project.ts';
import { runCli } from './support/runCli.ts';

const endpoint = (key: string) => `endpoint: { base_url: http://127.0.0.1:9/v1, api_key_env: ${key} }`;
const pool = 'pool: [{ base_url: http://127.0.0.1:9/v2, api_key_env: POOL_KEY }]';
const everyKey = ['JUDGE_KEY', 'MY_KEY', 'POOL_KEY', 'SERPER_API_KEY'];
const folder = sharedFolder();
writeFileSync(join(folder, 'tasks.jsonl'), jsonLines(sampleTasks));
writeFileSync(
  join(folder, 'coa.yaml'),
  `tasks: { sources: [{ file: tasks.jsonl, profile: web }] }
teacher: { backend: openai, model: { model: m, ${endpoint('MY_KEY').replace('}', `, ${pool} }`)} } }
judge: { text: model, model: { model: j, ${endpoint('JUDGE_KEY')} } }
tools: { web_search: { base_url: "http://127.0.0.1:9/search" }, crawl_page: {} }
`,
);

const plan = async (env: Record<string, string>, ...more: string[]) =>
  runCli(['run', '--dry-run', ...more], { cwd: folder, env });

test('says all that is missing in one list, the keys of every service included', async () => {
  const { code, stdout, stderr } = await plan({});
  expect(code, stderr).toBe(0);
  const missing = stdout.split('\n').filter((line) => line.startsWith('missing: '));
  expect(missing.map((line) => /\w+_KEY/.exec(line)?.[0]).sort()).toEqual(everyKey);
});

test('a run that begins says the same list', async () => {
  const before = readdirSync(folder);
  const { code, stderr } = await runCli(['run'], { cwd: folder });
  expect(code).toBe(2);
  expect(
    [...stderr.matchAll(/^ {2}no API key: \D*?(\w+_KEY) is not set/gm)].map(([, key]) => key).sort(),
  ).toEqual(everyKey);
  expect(readdirSync(folder)).toEqual(before);
});

test('names what is missing as JSON too, and nothing that is there', async () => {
  const keys = { MY_KEY: 'a', JUDGE_KEY: 'b', POOL_KEY: 'p' };
  const { missing } = JSON.parse((await plan(keys, '--json')).stdout) as { missing: string[] };
  expect(missing).toEqual([expect.stringMatching(/SERPER_API_KEY/)]);
  const { stdout } = await plan({ ...keys, SERPER_API_KEY: 'c' });
  expect(stdout).not.toMatch(/missing/);
  // The judge has no work where the run stops before it.
  expect((await plan({}, '--until', 'convert')).stdout).not.toMatch(/JUDGE_KEY/);
});

test('says how to get an estimate while nothing of the run has ended', async () => {
  const { stdout } = await plan({});
  expect(stdout).toContain('coa-distill forecast --from-run try');
  expect(JSON.parse((await plan({}, '--json')).stdout)).not.toHaveProperty('estimate');
});
