import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { OwnModule } from '../../base/programs/ownModule.ts';
import type { Session } from '../../contract/session.ts';
import { keyIn } from '../../schemas/config/resolved/endpoints.ts';
import { createRedactor } from '../../schemas/createRedactor.ts';
import { postInput } from '../../tools/custom/postInput.ts';
import type { CustomReward } from '../rewardsConfig.ts';

/** Computes a user-defined part for a trajectory. On an error, the trajectory is unscored. */
export type OpenedReward = (trajectory: JsonObject, signal: AbortSignal) => Promise<number>;

/** Maximum size of a response in bytes. */
const MAX_BYTES = 1_000_000;

/** Opens a user-defined reward. Throws `UserError` without its key, or if its module can't be loaded. */
export async function openCustomReward(
  name: string,
  reward: CustomReward,
  { env, resources }: Pick<Session, 'env' | 'resources'>,
): Promise<OpenedReward> {
  const { url, module: file, api_key_env = '', timeout_s } = reward;
  const timeoutMs = Math.ceil(timeout_s * 1000);
  if (file !== undefined) {
    const module = resources.keep(rewardModule(name, file, timeoutMs));
    await module.check();
    return async (trajectory, signal) => scoreIn(name, await module.ask(trajectory, signal));
  }
  const apiKey = keyIn(env, api_key_env, `rl.rewards.custom.${name}`);
  const service = {
    name: `the reward ${name}`,
    url: url!,
    ...(apiKey !== undefined && { apiKey }),
    redactor: createRedactor([apiKey]),
    timeoutMs,
    maxBytes: MAX_BYTES,
  };
  return async (trajectory, signal) => scoreIn(name, (await postInput(service, trajectory, signal)).raw);
}

export function rewardModule(name: string, file: string, timeoutMs: number): OwnModule {
  return new OwnModule({ key: `rl.rewards.custom.${name}.module`, file, timeoutMs });
}

const scoreSchema = z.union([z.number().transform((score) => ({ score })), z.object({ score: z.number() })]);

function scoreIn(name: string, said: unknown): number {
  const parsed = scoreSchema.safeParse(said);
  if (parsed.success) return parsed.data.score;
  throw new Error(
    `the reward ${name}: expected {"score": a number}, got ${JSON.stringify(said)?.slice(0, 100)}`,
  );
}
