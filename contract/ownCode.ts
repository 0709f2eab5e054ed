import type { JsonObject, JsonValue } from '../base/json.ts';
import { type OwnModule, OwnModuleError } from '../base/programs/ownModule.ts';
import type { Domain } from '../schemas/task.ts';
import type { Trajectory } from '../schemas/trajectory.ts';
import { RecordFailure } from './errors.ts';

/** What `judge.module` is asked: whether an answer is right. */
export interface OwnJudgeQuestion {
  readonly domain: Domain;
  readonly question: string;
  /** Gold answers; none where the task has tests, or nothing. */
  readonly answers: readonly string[];
  readonly answer: string;
}

/** Right or not, with a score from 0 to 1 (default: 1 or 0) and what shows it. */
export interface OwnVerdict {
  readonly correct: boolean;
  readonly score?: number | undefined;
  readonly evidence?: JsonObject | undefined;
}

/**
 * What a module of the user's own exports by default, by the hook that it is for. Each may be asynchronous; what it
 * throws is a failure of the record (`own_code`), never a label.
 */
export interface OwnCode {
  /** `tools.custom.NAME.module`: the observation for an input. A text is shown as it is, any other value as JSON. */
  tool(input: JsonObject): Soon<JsonValue | undefined>;
  /** `judge.module`; null where it can't tell (`unscored`). */
  judge(question: OwnJudgeQuestion): Soon<boolean | null | OwnVerdict>;
  /** One of `filters.rules`: why a trajectory is dropped, in a few words; null where it is kept. */
  rule(trajectory: Trajectory): Soon<string | null | undefined>;
  /** `rl.rewards.custom.NAME.module`: what a trajectory of RL is worth, given with its task and its other parts. */
  reward(trajectory: JsonObject): Soon<number | { readonly score: number }>;
}

type Soon<T> = T | Promise<T>;

/** Asks a module. Throws `RecordFailure` (`own_code`) for what its code did wrong; otherwise as {@link OwnModule.ask}. */
export async function askOwnCode(
  module: OwnModule,
  question: JsonObject,
  signal?: AbortSignal,
): Promise<JsonValue> {
  try {
    return await module.ask(question, signal);
  } catch (error) {
    throw error instanceof OwnModuleError ? ownCodeFailure(error.message, error) : error;
  }
}

/** The failure of a record by code of the user's own. */
export function ownCodeFailure(message: string, cause?: unknown): RecordFailure {
  return new RecordFailure('own_code', message, {}, { cause });
}
