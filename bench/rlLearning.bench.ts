import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRlServer } from '../test/trainers/support/rlServer.ts';
import { rlEnvironment, writeRlRows } from '../test/trainers/support/rlVerl.ts';
import { runPython } from '../test/trainers/support/runPython.ts';

/**
 * Whether a student learns by our rollouts: a tiny model, one tool, TRL on a CPU. Prints the reward of every step for
 * three seeds, and for the same with rewards that are dealt out at random. `RL_STEPS` (default 40), `RL_SEEDS` (1,2,3).
 */
const steps = process.env.RL_STEPS ?? '40';
const seeds = (process.env.RL_SEEDS ?? '1,2,3').split(',');
const program = fileURLToPath(new URL('support/rl_learning.py', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'coa-rl-learning-'));
const server = await startRlServer({
  max_prompt_tokens: 256,
  max_response_tokens: 256,
  max_step_tokens: 128,
});
try {
  const tasks = path.join(folder, 'train.parquet');
  await writeRlRows(tasks, 4);
  const output = await runPython({
    environment: 'trainers',
    args: [program, tasks, steps, ...seeds],
    folder,
    env: { ...rlEnvironment(server, folder), TRL_EXPERIMENTAL_SILENCE: '1' },
  });
  for (const line of output.split('\n')) {
    if (line.startsWith('taught')) console.log(line);
    if (line.startsWith('{"seed"')) tell(line);
  }
  console.log(`load ${loadavg()[0]!.toFixed(1)}`);
} finally {
  await server.close();
  rmSync(folder, { recursive: true });
}

function tell(line: string): void {
  const { seed, way, rewards } = JSON.parse(line) as { seed: number; way: string; rewards: number[] };
  const mean = (part: readonly number[]): string =>
    (part.reduce((sum, value) => sum + value, 0) / part.length).toFixed(2);
  console.log(
    `${way}, seed ${seed}: first 5 steps ${mean(rewards.slice(0, 5))}, last 5 ${mean(rewards.slice(-5))}`,
  );
  console.log(`  ${rewards.map((value) => value.toFixed(2)).join(' ')}`);
}
