import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { Task } from '../../schemas/task.ts';
import type { Trace } from '../../schemas/trace.ts';
import { createChatHandler } from '../../teachers/scripted/createChatHandler.ts';
import { readBody, sendError, sendJson } from '../../teachers/scripted/httpAnswers.ts';
import { noFaults } from '../../teachers/scripted/parseFaults.ts';
import { createProject, sampleTasks } from '../cli/support/project.ts';
import { runCli, runRefused, runWell } from '../cli/support/runCli.ts';
import { answerKeyScript } from '../support/answerKey/answerKeyScript.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { copyOf, temporaryFolder } from '../support/temporaryFolder.ts';
import { runLines } from './support/bundledProject.ts';
import { sharedFolder } from './support/sharedFolder.ts';
import { startTeacherProcess, type TeacherProcess } from './support/startTeacherProcess.ts';

const KEY = 'sk-a-key-that-nobody-else-has';
const teacherOf = (baseUrl: string) =>
  `{ model: { model: m, endpoint: { base_url: "${baseUrl}", api_key_env: TEACHER_KEY } }, concurrency: 4 }`;
const datasetOf = (cwd: string, run = 'coa') => folderHashes(join(cwd, 'runs', run, 'dataset'));

describe('a run that is handed on with its cache', () => {
  const original = sharedFolder();

  beforeAll(async () => {
    createProject({ folder: original });
    const teacher = await startTeacherProcess(original, 0);
    createProject({ folder: original, teacher: teacherOf(teacher.baseUrl) });
    await runWell(['run'], { cwd: original, env: { TEACHER_KEY: KEY } });
    // From here on there is nobody to ask.
    await teacher.stop();
  });

  test('is replayed to the same bytes without key and endpoint', async () => {
    const cwd = copyOf(original);
    await runWell(['run', '--from', 'rollout', '--offline'], { cwd });
    expect(datasetOf(cwd)).toEqual(datasetOf(original));
    for (const file of readdirSync(join(cwd, 'runs'), { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      expect(readFileSync(join(file.parentPath, file.name)).includes(KEY), file.name).toBe(false);
    }
  });

  test('is replayed where the endpoint has another address, and from a cache that was exported', async () => {
    const cwd = copyOf(original);
    createProject({ folder: cwd, teacher: teacherOf('http://127.0.0.1:9/v1') });
    const more = 'cache: { file: carried.sqlite }\n';
    writeFileSync(join(cwd, 'coa.yaml'), `${readFileSync(join(cwd, 'coa.yaml'), 'utf8')}${more}`);
    const cli = (...args: string[]) => runCli(args, { cwd });
    writeFileSync(join(cwd, 'answers.jsonl'), (await cli('cache', 'export', 'coa')).stdout);
    const imported = await cli('cache', 'import', 'carried.sqlite', 'answers.jsonl', '--json');
    expect(JSON.parse(imported.stdout)).toMatchObject({ known: 0 });
    const replay = await cli('run', '--name', 'other', '--offline');
    expect(replay.code, replay.stderr).toBe(0);
    expect(datasetOf(cwd, 'other')['trajectories.jsonl']).toBe(datasetOf(original)['trajectories.jsonl']);
    expect(existsSync(join(cwd, 'runs/other/cache.sqlite'))).toBe(false);
  });

  test('fails the tasks whose answers are missing, and names what was asked', async () => {
    const cwd = copyOf(original);
    const database = new DatabaseSync(join(cwd, 'runs/coa/cache.sqlite'));
    const { task_id } = database.prepare('SELECT min(task_id) AS task_id FROM answers').get()!;
    database.prepare(`DELETE FROM answers WHERE task_id = ? AND kind = 'model'`).run(task_id!);
    database.close();
    const replay = await runWell(['run', '--from', 'rollout', '--offline', '--json'], { cwd });
    const rollout = JSON.parse(replay.stdout).funnel.find(
      (row: { stage: string }) => row.stage === 'rollout',
    );
    expect(rollout).toMatchObject({ entered: 12, emitted: 11, failed: { not_cached: 1 } });
    const [entry] = runLines<LedgerEntry>(cwd, 'rollout/ledger.jsonl');
    expect(entry).toMatchObject({
      kind: 'fail',
      task_id,
      failure: {
        cause: 'not_cached',
        retryable: true,
        message: expect.stringMatching(
          new RegExp(
            `no answer to a request of the planner for ${task_id} to m \\([0-9a-f]{12}\\); run without`,
          ),
        ),
        evidence: { model: 'm', role: 'planner', task_id, request: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    });
  });

  test('without its cache is one readable line', async () => {
    const cwd = temporaryFolder();
    createProject({ folder: cwd, teacher: teacherOf('http://127.0.0.1:9/v1') });
    await runRefused(
      ['run', '--offline'],
      { cwd },
      /^error: --offline: there is no cache .*cache\.sqlite; put it there/m,
    );
  });
});

/** A teacher behind an endpoint that takes neither tools nor schemas. */
async function startWeakTeacher(): Promise<string> {
  const tasks = sampleTasks.map(({ id, question, answer }): Task => {
    const source = { file: 'tasks.jsonl', row: 1 };
    return { id, question, answers: [answer], domain: 'qa', profile: 'mhqa', source };
  });
  const planted = { malformed_json_once: 0.3, malformed_json: 0.1 };
  const answer = createChatHandler(answerKeyScript(tasks, planted, 7), noFaults);
  const server = createServer(async (request, response) => {
    const body = (await readBody(request)) ?? '';
    if (request.method !== 'POST') return sendJson(response, 200, { data: [] });
    const unknown = ['tools', 'json_schema'].find((word) => body.includes(`"${word}"`));
    if (unknown === undefined) return void answer(body, response);
    const message = `unsupported parameter: ${unknown}`;
    sendError(response, 400, { message, type: 'invalid_request_error', code: null });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
}

test('what a weak endpoint turned down is replayed as well: the conversations are the same', async () => {
  const cwd = temporaryFolder();
  createProject({ folder: cwd, teacher: teacherOf(await startWeakTeacher()) });
  await runWell(['run'], { cwd, env: { TEACHER_KEY: KEY } });
  const before = { dataset: datasetOf(cwd), events: eventIds(cwd) };
  await runWell(['run', '--from', 'rollout', '--offline'], { cwd });
  expect({ dataset: datasetOf(cwd), events: eventIds(cwd) }).toEqual(before);
});

/** The events of all traces, by task. */
function eventIds(cwd: string): Record<string, string[]> {
  const lines = runLines<{ task_id: string; records: Trace[] }>(cwd, 'rollout/records.jsonl');
  return Object.fromEntries(
    lines.map(({ task_id, records }) => [task_id, records[0]!.events.map(({ id }) => id)]),
  );
}

describe('a cache that several runs share', () => {
  let teacher: TeacherProcess;
  const cwd = sharedFolder();

  beforeAll(async () => {
    createProject({ folder: cwd });
    teacher = await startTeacherProcess(cwd, 5);
    const more = 'cache: { file: shared.sqlite }\n';
    createProject({ folder: cwd, teacher: teacherOf(teacher.baseUrl), more });
    return () => teacher.stop();
  });

  test('is safe for two runs at once, and the third asks nothing', async () => {
    const env = { TEACHER_KEY: KEY };
    const both = await Promise.all(['a', 'b'].map((name) => runCli(['run', '--name', name], { cwd, env })));
    for (const { code, stderr } of both) expect(code, stderr).toBe(0);
    expect(datasetOf(cwd, 'b')).toEqual(datasetOf(cwd, 'a'));
    const asked = teacher.asked().length;
    await runWell(['run', '--name', 'c'], { cwd, env });
    expect(teacher.asked()).toHaveLength(asked);
    expect(datasetOf(cwd, 'c')).toEqual(datasetOf(cwd, 'a'));
  });
});
