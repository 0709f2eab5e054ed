import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type JsonObject, safeParseJson } from '../../base/json.ts';
import { keyIn } from '../../schemas/config/resolved/endpoints.ts';
import type { CustomReward } from '../../schemas/config/rlRewards.ts';
import { createRedactor } from '../../schemas/redaction/createRedactor.ts';
import { postInput } from '../../tools/custom/postInput.ts';

/** Gives a part of the user's own for a trajectory. Throws where it can't: the trajectory is unscored then. */
export type OpenedReward = (trajectory: JsonObject, signal: AbortSignal) => Promise<number>;

/** Most bytes of an answer. */
const MAX_BYTES = 1_000_000;

/** Opens a reward of the user's own. Throws `UserError` without its key. */
export function openCustomReward(name: string, reward: CustomReward, env: NodeJS.ProcessEnv): OpenedReward {
  const { url, command, api_key_env = '', timeout_s } = reward;
  const timeoutMs = Math.ceil(timeout_s * 1000);
  if (url === undefined)
    return (trajectory, signal) =>
      runCommand(name, command!, trajectory, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  const apiKey = keyIn(env, api_key_env, `rl.rewards.custom.${name}`);
  const service = {
    name: `the reward ${name}`,
    url,
    ...(apiKey !== undefined && { apiKey }),
    redactor: createRedactor([apiKey]),
    timeoutMs,
    maxBytes: MAX_BYTES,
  };
  return async (trajectory, signal) => scoreIn(name, (await postInput(service, trajectory, signal)).raw);
}

async function runCommand(
  name: string,
  [program, ...args]: readonly string[],
  trajectory: JsonObject,
  signal: AbortSignal,
): Promise<number> {
  const child = spawn(program!, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // One that does not read its input is no fault by itself.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(trajectory));
  const [said, exitCode] = await Promise.all([text(child.stdout), ended]);
  if (exitCode !== 0) throw new Error(`the reward ${name}: ${program} ended with status ${exitCode}`);
  const parsed = safeParseJson(said);
  return scoreIn(name, parsed.ok ? parsed.value : said.slice(0, 100));
}

const scoreSchema = z.object({ score: z.number() });

function scoreIn(name: string, said: unknown): number {
  const parsed = scoreSchema.safeParse(said);
  if (parsed.success) return parsed.data.score;
  throw new Error(
    `the reward ${name}: expected {"score": a number}, got ${JSON.stringify(said)?.slice(0, 100)}`,
  );
}
