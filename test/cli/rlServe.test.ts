import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Resources } from '../../base/resources.ts';
import { rlEnvironmentSchema } from '../../rl/records/environment.ts';
import type { RlStatus } from '../../rl/records/status.ts';
import { sourceOfConfig } from '../../rl/server/environmentSource.ts';
import { model, startRetrieval } from '../rl/support/startEnvironment.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { postJson } from '../tools/servers/support/postJson.ts';
import { finished, startCli } from './support/runCli.ts';

const headers = { authorization: 'Bearer secret-token' };

/** Starts `serve rl` as a process of its own. */
async function serving(what: string, cwd: string, env: Record<string, string> = {}, args: string[] = []) {
  const child = startCli(['serve', 'rl', what, '--port', '0', ...args], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, ended: finished(child), line: line.toString(), url: /http:\S+/.exec(line.toString())![0] };
}

async function taskIn(config: string): Promise<string> {
  const resources = new Resources();
  onTestFinished(() => resources.closeAll());
  for await (const { id } of (await sourceOfConfig(config, { resources })).tasks) return id;
  throw new Error('no task');
}

test('serves with its token until SIGTERM, and answers what is in flight', async () => {
  const cwd = temporaryFolder();
  const gate = Promise.withResolvers<string>();
  const retrieval = await startRetrieval(() => gate.promise);
  writeFileSync(join(cwd, 'tasks.jsonl'), '{"question": "Where?", "answer": "Zelderhaven"}\n');
  writeFileSync(
    join(cwd, 'coa.yaml'),
    `tasks: { sources: [{ file: tasks.jsonl, profile: mhqa }] }
tools: { wiki_search: { url: "${retrieval.url}" } }
training: { rl: { max_generations: 30, max_prompt_tokens: 1000 } }
`,
  );
  const { child, ended, line, url } = await serving('coa.yaml', cwd, { COA_RL_TOKEN: 'secret-token' }, [
    '--preset',
    'afm-mhqa-7b',
  ]);
  expect(line).toMatch(/^serving http:\/\/127\.0\.0\.1:\d+ \(1 tasks of coa; Ctrl-C ends it\)\n$/);

  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect((await fetch(`${url}/v1/environment`)).status).toBe(401);
  const wrong = await fetch(`${url}/v1/status`, { headers: { authorization: 'Bearer secret-tokem' } });
  expect(wrong.status).toBe(401);
  const environment = rlEnvironmentSchema.parse(
    await (await fetch(`${url}/v1/environment`, { headers })).json(),
  );
  expect(environment).toMatchObject({
    tasks: 1,
    profiles: { mhqa: { tools: ['wiki_search'] } },
    limits: { max_steps: 8, max_response_tokens: 8192, max_prompt_tokens: 2048 },
  });

  const asked = postJson(
    `${url}/v1/next`,
    {
      task_id: await taskIn(join(cwd, 'coa.yaml')),
      segments: [model('<think>x</think>\n<wiki_search>founder</wiki_search>')],
      finish_reason: 'stop',
    },
    headers,
  );
  await waitUntil('the call of the tool', () => retrieval.calls > 0, { everyMs: 10, child });
  const status = (await (await fetch(`${url}/v1/status`, { headers })).json()) as RlStatus;
  expect(status).toMatchObject({ in_flight: 1 });
  child.kill('SIGTERM');
  await once(child.stderr!, 'data');
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  gate.resolve('Founder\nBorn in Zelderhaven.');
  expect(await asked).toMatchObject({ status: 200, json: { kind: 'observation', tool: 'wiki_search' } });
  expect(await ended).toMatchObject({ code: 143 });
});
