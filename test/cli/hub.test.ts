import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import { hubToken, startHub } from '../calls/hub/support/startHub.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { createProject } from './support/project.ts';
import { runCli, runRefused, runWell } from './support/runCli.ts';

test('fetch prints where the files are and the address of the commit, and copies them where asked', async () => {
  const rows = Buffer.from('{"question":"q","answer":"a"}\n');
  const hub = await startHub({
    'datasets/lab/rows': { 'data/rows.jsonl': { content: rows, isLarge: true } },
  });
  const folder = temporaryFolder();
  const env = { HF_ENDPOINT: hub.url, HF_HOME: join(folder, 'home') };
  const fetched = await runCli(['fetch', 'hf:lab/rows', '--to', 'tasks'], { cwd: folder, env });
  expect(fetched).toMatchObject({ code: 0, stdout: expect.stringContaining(`hf:lab/rows@${hub.commit}`) });
  expect(readFileSync(join(folder, 'tasks/data/rows.jsonl'))).toEqual(rows);
  writeFileSync(join(folder, 'tasks/data/rows.jsonl'), 'mine');
  await runRefused(['fetch', 'hf:lab/rows', '--to', 'tasks'], { cwd: folder, env }, 'another file is there');
  expect(readFileSync(join(folder, 'tasks/data/rows.jsonl'), 'utf8')).toBe('mine');
  const json = await runCli(['fetch', 'hf:lab/rows', '--json'], {
    cwd: folder,
    env: { ...env, HF_HUB_OFFLINE: '1' },
  });
  expect(JSON.parse(json.stdout)).toMatchObject({
    commit: hub.commit,
    files: [{ path: 'data/rows.jsonl', fetchedBytes: 0 }],
  });
});

test('what push brings to the hub is the dataset, byte by byte, and fetch brings it back', async () => {
  const cwd = createProject();
  await runWell(['run', 'coa.yaml', '--name', 'mine'], { cwd });
  const hub = await startHub({}, { isPrivate: true });
  const env = { HF_ENDPOINT: hub.url, HF_HOME: join(cwd, 'home') };
  await runRefused(['push', 'mine', 'hf:lab/rows'], { cwd, env }, 'HF_TOKEN is not set');
  const withToken = { ...env, HF_TOKEN: hubToken };
  for (let n = 0; n < 2; n++) {
    const pushed = await runCli(['push', 'mine', 'hf:lab/rows', '--private'], { cwd, env: withToken });
    expect(pushed).toMatchObject({ code: 0, stdout: expect.stringContaining('pushed:') });
  }
  const dataset = join(cwd, 'runs/mine/dataset');
  const manifest: Manifest = manifestSchema.parse(
    JSON.parse(readFileSync(join(dataset, 'manifest.json'), 'utf8')),
  );
  const stored = hub.repositories.get('datasets/lab/rows')!;
  const paths = [...new Set([...manifest.files.map(({ path }) => path), 'manifest.json', 'README.md'])];
  expect([...stored.keys()].sort()).toEqual(paths.sort());
  for (const [path, { content }] of stored) expect(content).toEqual(readFileSync(join(dataset, path)));
  await runWell(['fetch', 'hf:lab/rows', '--to', 'back'], { cwd, env: withToken });
  for (const path of paths)
    expect(readFileSync(join(cwd, 'back', path))).toEqual(readFileSync(join(dataset, path)));
});

test('a dataset that was changed after its export is not pushed', async () => {
  const cwd = createProject();
  await runCli(['run', 'coa.yaml', '--name', 'mine'], { cwd });
  const file = join(cwd, 'runs/mine/dataset/trajectories.jsonl');
  expect(existsSync(file)).toBe(true);
  writeFileSync(file, readFileSync(file, 'utf8').replace('river', 'rivet'));
  const hub = await startHub({});
  const env = { HF_ENDPOINT: hub.url, HF_HOME: join(cwd, 'home'), HF_TOKEN: hubToken };
  await runRefused(['push', 'mine', 'hf:lab/rows'], { cwd, env }, 'its SHA-256 is');
  expect(hub.requests).toEqual([]);
});
