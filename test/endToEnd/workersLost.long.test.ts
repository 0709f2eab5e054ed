import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MOST_LOSSES } from '../../pipeline/workers/database/shardStatements.ts';
import { readBody } from '../../teachers/scripted/httpAnswers.ts';
import { createProject, sampleTasks } from '../cli/support/project.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { answerKeyOf } from '../support/answerKey/answerKeyOf.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { startHttpServer } from '../tools/support/startHttpServer.ts';
import { usePostgres } from './support/usePostgres.ts';

const postgres = usePostgres();

test('a task that costs every worker its lease is set aside, and the others lose nothing by it', async () => {
  const cwd = createProject();
  const answer = await answerKeyOf(join(cwd, 'coa.yaml'));
  let isPoisoned = false;
  let onPoison = (_: ServerResponse) => {};
  const teacher = await startHttpServer(async (request, response) => {
    const body = (await readBody(request)) ?? '';
    if (isPoisoned && body.includes(sampleTasks[7]!.question)) return onPoison(response);
    answer(body, response);
  });
  const endpoint = { base_url: `${teacher.baseUrl}/v1`, api_key_env: '', timeout_s: 600 };
  createProject({
    folder: cwd,
    teacher: JSON.stringify({ model: { model: 'm', endpoint }, concurrency: 4 }),
    more: 'scale: { shard_tasks: 4 }\n',
  });
  await runWell(['run', '--name', 'plain'], { cwd });
  const database = await postgres.open();
  const startWorker = (): ChildProcess => {
    const worker = postgres.startWorker([], cwd);
    worker.stdout!.resume();
    worker.stderr!.resume();
    return worker;
  };
  let worker = startWorker();
  let losses = 0;
  let losing: Promise<void> | undefined;
  onPoison = (response) => {
    // The same lease may ask twice.
    losing ??= lose().finally(() => {
      losing = undefined;
    });
    void losing.then(() => response.destroy());
  };
  const lose = async () => {
    const isFirst = losses++ === 0;
    if (isFirst) worker.kill('SIGKILL');
    // As when its lease is over.
    await database.query('SELECT lose(id) FROM worker WHERE NOT dead AND NOT is_coordinator');
    if (isFirst) worker = startWorker();
  };
  isPoisoned = true;
  const run = ['run', '--name', 'shared', '--workers', postgres.url];
  const ended = await runCli(run, { cwd });
  expect(ended.code, ended.stderr).toBe(1);
  expect(losses).toBe(2 * MOST_LOSSES);
  const { stdout } = await runCli(['status', 'shared', '--json'], { cwd });
  const { funnel, workers } = JSON.parse(stdout);
  expect(funnel.find((row: { stage: string }) => row.stage === 'rollout')).toMatchObject({
    entered: sampleTasks.length,
    emitted: sampleTasks.length - 1,
    failed: { worker_lost: 1 },
  });
  expect(workers).toMatchObject({ open: false, set_aside: 1 });
  expect((await runCli(['status', 'shared'], { cwd })).stdout).toContain('1 set aside as worker_lost');
  const ledger = readFileSync(join(cwd, 'runs/shared/rollout/ledger.jsonl'), 'utf8');
  expect(ledger).toContain('6 workers were lost while they had this task');
  // Once nothing kills them any more, the run gets what it lacked.
  isPoisoned = false;
  await runWell([...run, '--retry', 'failed:worker_lost'], { cwd });
  expect(folderHashes(join(cwd, 'runs/shared/dataset'))).toEqual(
    folderHashes(join(cwd, 'runs/plain/dataset')),
  );
});
