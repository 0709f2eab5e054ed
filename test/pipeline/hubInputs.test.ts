import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startHub } from '../calls/hub/support/startHub.ts';
import { createProject } from '../cli/support/project.ts';
import { runCli, runRefused, runWell } from '../cli/support/runCli.ts';

test('tasks and passages named on the hub make the dataset that local files make, also from the cache alone', async () => {
  const cwd = createProject();
  const read = (name: string) => readFileSync(join(cwd, name));
  const hub = await startHub({
    'datasets/lab/tasks': { 'train/tasks.jsonl': { content: read('tasks.jsonl') } },
    'datasets/lab/wiki': { 'passages.jsonl': { content: read('passages.jsonl'), isLarge: true } },
  });
  const local = read('coa.yaml').toString();
  const remote = local
    .replace('file: tasks.jsonl', 'file: hf:lab/tasks@main/train/*.jsonl')
    .replace('corpus: passages.jsonl', `corpus: 'hf:lab/wiki/passages.jsonl'`);
  expect(remote.match(/hf:/g)).toHaveLength(2);
  writeFileSync(join(cwd, 'hub.yaml'), remote);
  const env = { HF_ENDPOINT: hub.url, HF_HOME: join(cwd, 'home') };
  await runWell(['run', 'coa.yaml', '--name', 'local'], { cwd, env });
  expect(await runCli(['run', 'hub.yaml', '--name', 'hub'], { cwd, env })).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('error'),
  });
  const asked = hub.requests.length;
  const offline = { ...env, HF_HUB_OFFLINE: '1' };
  expect(
    await runCli(['run', 'coa.yaml', '--tasks', 'hf:lab/tasks/train/tasks.jsonl', '--name', 'flag'], {
      cwd,
      env: offline,
    }),
  ).toMatchObject({ code: 0 });
  expect(hub.requests).toHaveLength(asked);
  for (const name of ['hub', 'flag'])
    expect(read(`runs/${name}/dataset/trajectories.jsonl`)).toEqual(
      read('runs/local/dataset/trajectories.jsonl'),
    );
  const missing = await runRefused(
    ['run', 'coa.yaml', '--tasks', 'hf:lab/nothing', '--name', 'none'],
    {
      cwd,
      env,
    },
    'coa.yaml',
  );
  expect(missing.stderr).toContain('no such repository');
});
