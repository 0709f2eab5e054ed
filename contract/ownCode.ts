import type { JsonObject, JsonValue } from '../base/json.ts';
import { type OwnModule, OwnModuleError } from '../base/programs/ownModule.ts';
import type { Domain } from '../schemas/task.ts';
import type { Trajectory } from '../schemas/trajectory.ts';
import { RecordFailure } from './errors.ts';

/** Input of `judge.module`: the answer to judge. */
export interface OwnJudgeQuestion {
  readonly domain: Domain;
  readonly question: string;
  /** Gold answers; empty if the task has tests, or neither. */
  readonly answers: readonly string[];
  readonly answer: string;
}

/** Correctness, with a score from 0 to 1 (default: 1 or 0) and evidence. */
export interface OwnVerdict {
  readonly correct: boolean;
  readonly score?: number | undefined;
  readonly evidence?: JsonObject | undefined;
}

/**
 * Default exports of user modules, by hook. Each may be asynchronous; an exception is a failure of the record
 * (`own_code`), never a label.
 */
export interface OwnCode {
  /** `tools.custom.NAME.module`: the observation for an input. A text is shown unchanged, any other value as JSON. */
  tool(input: JsonObject): Soon<JsonValue | undefined>;
  /** `judge.module`; null if undecided (`unscored`). */
  judge(question: OwnJudgeQuestion): Soon<boolean | null | OwnVerdict>;
  /** Entry of `filters.rules`: a short reason to drop the trajectory; null to keep it. */
  rule(trajectory: Trajectory): Soon<string | null | undefined>;
  /** `rl.rewards.custom.NAME.module`: reward of an RL trajectory, given with its task and its other parts. */
  reward(trajectory: JsonObject): Soon<number | { readonly score: number }>;
}

type Soon<T> = T | Promise<T>;

/**
 * Calls a user module. Throws `RecordFailure` (`own_code`) for errors of its code; otherwise as {@link
 * OwnModule.ask}.
 */
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

export function ownCodeFailure(message: string, cause?: unknown): RecordFailure {
  return new RecordFailure('own_code', message, {}, { cause });
}
