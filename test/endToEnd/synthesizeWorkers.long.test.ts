import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { finished, runRefused, runWell, startCli } from '../cli/support/runCli.ts';
import { cases } from '../support/cases.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { modelAt, startSynthesisServer, synthesisProject } from './support/synthesisProject.ts';
import { usePostgres } from './support/usePostgres.ts';

/** Times that a worker or the coordinator is killed; COA_KILLS=20 asks for twenty. */
const kills = cases(3, 'COA_KILLS');
const seed = Number(process.env.COA_KILL_SEED ?? 1);
const CONCURRENCY = 4;

const postgres = usePostgres();

async function synthesize(cwd: string, name: string, ...args: readonly string[]) {
  const { stdout } = await runWell(['synthesize', '--name', name, '--json', ...args], { cwd });
  return { ...JSON.parse(stdout), taskset: folderHashes(join(cwd, 'runs', name, 'taskset')) };
}

test('the same tasks are made, of the same requests, whatever works at once and with two workers', async () => {
  const server = await startSynthesisServer();
  const made = async (cwd: string, name: string, ...args: readonly string[]) => {
    server.asked.length = 0;
    const { taskset, funnel } = await synthesize(cwd, name, ...args);
    return { taskset, funnel, asked: server.asked.toSorted() };
  };
  const [one, many] = [1, 16].map((at) =>
    synthesisProject(12, { ...modelAt(server.baseUrl, at), concurrency: at }),
  );
  const alone = await made(one!, 'alone');
  expect(new Set(alone.asked).size).toBe(alone.asked.length);
  expect(alone.funnel.at(-1).emitted).toBeGreaterThan(3);
  expect(await made(many!, 'together')).toEqual(alone);
  expect(await made(many!, 'workers', '--workers', '2')).toEqual(alone);
  // From here on answers come out of the run's own cache.
  expect(await made(many!, 'workers', '--from', 'facts', '--workers', '2')).toEqual({ ...alone, asked: [] });
}, 300_000);

test('workers make the same tasks with an embedded model', async () => {
  const cwd = synthesisProject(12);
  const { funnel, taskset } = await synthesize(cwd, 'plain');
  expect(await synthesize(cwd, 'shared', '--workers', '2')).toMatchObject({ funnel, taskset });
}, 300_000);

test('a checker that is not trusted ends the run before a candidate is checked', async () => {
  const misread = { triples: [['?x', 'part', 'Lindrey']], asked: '?x' };
  const said: Readonly<Record<string, JsonObject>> = {
    read_form: misread,
    other_answer: { rationale: '', meets_all: true },
  };
  const server = await startSynthesisServer((play) => (request) => {
    const format = request.response_format;
    const answer = format?.type === 'json_schema' && said[format.json_schema.name];
    return answer ? { reply: { kind: 'json', answer }, facts: {} } : play(request);
  });
  const cwd = synthesisProject(4, modelAt(server.baseUrl, CONCURRENCY));
  await runRefused(['synthesize', '--workers', '2'], { cwd }, 'synthesize.roles.check: m found');
  expect(server.asked.join()).not.toContain('"solved"');
}, 300_000);

test(
  `workers and coordinator that are killed over and over (seed ${seed}) make the same bytes, and ask again for what was in flight alone`,
  async () => {
    const server = await startSynthesisServer();
    const cwd = synthesisProject(12, modelAt(server.baseUrl, CONCURRENCY));
    const { taskset } = await synthesize(cwd, 'plain');
    const asked = server.asked.splice(0);
    const random = seededRandom(seed);
    const startWorker = () => postgres.startWorker();
    const workers = [startWorker(), startWorker()];
    const command = ['synthesize', '--name', 'killed', '--workers', postgres.url, '--set', 'scale.lease_s=2'];
    let coordinator = startCli(command, { cwd });
    onTestFinished(() => void coordinator.kill('SIGKILL'));
    let ended = finished(coordinator);
    for (let kill = 0; kill < kills; kill++) {
      const until = server.asked.length + Math.ceil((random() * asked.length) / kills);
      await waitUntil(`request ${until}`, () => server.asked.length >= until, {
        everyMs: 1,
        child: coordinator,
      });
      if (kill % 3 === 2) {
        coordinator.kill('SIGKILL');
        await ended;
        coordinator = startCli(command, { cwd });
        ended = finished(coordinator);
      } else {
        workers[kill % 2]!.kill('SIGKILL');
        workers[kill % 2] = startWorker();
      }
    }
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
    expect(folderHashes(join(cwd, 'runs/killed/taskset'))).toEqual(taskset);
    expect([...new Set(server.asked)].sort()).toEqual(asked.toSorted());
    const again = server.asked.length - asked.length;
    process.stdout.write(`${kills} kills: ${again} of ${asked.length} requests were made again\n`);
    expect(again).toBeLessThanOrEqual(kills * CONCURRENCY * 2);
  },
  300_000 + kills * 20_000,
);
