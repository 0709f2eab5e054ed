import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, jsonLines, sampleTasks } from '../cli/support/project.ts';
import { runCli, runRefused, runWell } from '../cli/support/runCli.ts';
import { startEmbeddingServer } from '../support/startEmbeddingServer.ts';
import { rejects } from '../teachers/support/startTinyServer.ts';

/** Each sample question, and the first four in other words. */
const tasks = [
  ...sampleTasks,
  ...sampleTasks.slice(0, 4).map(({ answer }, n) => ({
    id: `again${n}`,
    question: `What stream runs by village number ${n}?`,
    answer,
  })),
];

const env = { EMBEDDING_KEY: 'sk-secret-embedding-key' };
const settings = (baseUrl: string) => `dedup:
  trajectories:
    semantic:
      model:
        model: tiny
        endpoint: { base_url: "${baseUrl}", api_key_env: EMBEDDING_KEY, max_retries: 2 }
      min_cosine: 0.5
      max_chars: 100000
      batch_size: 5
filters: { grounding: { drop: false }, min_interactions: { mhqa: 0 } }
`;

const inRun = (folder: string, file: string) => readFileSync(join(folder, 'runs/coa', file), 'utf8');

test('a run that drops trajectories of one meaning, gone on with after its endpoint was down', async () => {
  let isDown = true;
  const server = await startEmbeddingServer((_, place) => {
    if (isDown) return place === 0 ? undefined : rejects(401, `wrong key ${env.EMBEDDING_KEY}`);
    return place % 2 === 0 ? rejects(429, 'slow down') : undefined;
  });
  const cwd = createProject({ tasks: jsonLines(tasks), more: settings(server.baseUrl) });

  await runWell(['run', '--dry-run'], { cwd, env });
  expect(server.requests).toHaveLength(0);

  const down = await runCli(['run'], { cwd, env });
  expect(down.code).toBe(1);
  expect(down.stderr).toMatch(
    /^error: dedup\.trajectories\.semantic: no embeddings of tiny \(endpoint_rejected: .*wrong key/m,
  );
  expect(down.stdout + down.stderr).not.toMatch(/sk-secret/);

  await runRefused(
    ['run', '--offline'],
    { cwd, env },
    'dedup.trajectories.semantic: embeddings are not kept in the cache',
  );

  isDown = false;
  await runWell(['run'], { cwd, env });
  const ledger = inRun(cwd, 'select/ledger.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(ledger.length).toBeGreaterThan(0);
  for (const entry of ledger)
    expect(entry).toMatchObject({
      kind: 'drop',
      reason: 'duplicate_trajectory',
      evidence: { kept_id: expect.any(String) },
    });
  expect(inRun(cwd, 'run.json')).not.toMatch(/sk-secret/);

  const asked = server.requests.length;
  await runWell(['run'], { cwd, env });
  expect(server.requests).toHaveLength(asked);
});

test('embeddings count towards the caps of a run', async () => {
  const server = await startEmbeddingServer();
  const capped = async (maxTokens: number) => {
    const more = `${settings(server.baseUrl)}budget: { max_tokens: ${maxTokens} }\n`;
    return runCli(['run', '--until', 'select'], { cwd: createProject({ more }), env });
  };
  const poor = await capped(1_000);
  expect(poor.code, poor.stderr).toBe(3);
  expect(server.requests).toHaveLength(0);
  const rich = await capped(1_000_000);
  expect(rich.code, rich.stderr).toBe(0);
  expect(server.requests).toHaveLength(3);
});

test('trajectories of one meaning are one, and deciding again does without embeddings', async () => {
  const server = await startEmbeddingServer();
  const more = settings(server.baseUrl);
  const cwd = createProject({ tasks: jsonLines(tasks), more });
  await runWell(['run'], { cwd, env });
  const ledger = inRun(cwd, 'select/ledger.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(ledger.length).toBeGreaterThan(0);
  for (const entry of ledger) expect(entry).toMatchObject({ reason: 'duplicate_trajectory' });
  const asked = server.requests.length;
  expect(asked).toBeGreaterThan(0);
  await runRefused(
    ['refilter', 'coa', '--set', 'select.best_of={}'],
    { cwd },
    'dedup.trajectories.semantic asks a model for embeddings',
  );
  await runWell(['refilter', 'coa', '--set', 'dedup.trajectories={}'], { cwd });
  expect(server.requests).toHaveLength(asked);
});
