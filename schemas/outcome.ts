import { z } from 'zod';
import { jsonObjectSchema } from '../base/json.ts';

/**
 * Why a record was dropped: a verdict on its content, kept for ever in the ledger.
 *
 * | reason | meaning |
 * |---|---|
 * | `bad_task` | the task file's row was unusable and the configuration says to skip it |
 * | `too_few_tests` | the task has fewer tests than `filters.min_tests`: a program that only knows the samples would pass |
 * | `duplicate_question` | another task of the profile, which stays, asks the same |
 * | `near_duplicate_question` | another task of the profile, which stays, asks nearly the same |
 * | `contaminated` | the question stands in a benchmark |
 * | `too_easy` | the student or a base model, the model of `probe`, or the run's own rollouts, solve the task too often |
 * | `too_hard` | they solve it too seldom |
 * | `unrated` | nobody knows how often a model solves the task, and `probe.unrated` says to drop such tasks |
 * | `invalid_grammar` | the trajectory breaks its profile's grammar, or model text holds tags |
 * | `wrong_answer` | the final answer was judged wrong |
 * | `too_few_interactions` | fewer agent-tool interactions than the profile asks for (paper, stage 1) |
 * | `redundant_tool_input` | the same tool was asked the same thing more than once (paper, stage 2) |
 * | `instruction_failure` | a judge found that the trajectory does not follow its instructions |
 * | `no_reflection` | a trajectory without reflection that the rate of such trajectories leaves out (paper, stage 3) |
 * | `lint_finding` | breaks a lint rule that the filter asks to be kept |
 * | `length_out_of_range` | more or fewer tokens or steps than the filter allows |
 * | `unwanted_language` | the text is in none of the languages asked for |
 * | `secret_in_text` | an observation holds a secret or personal data, and such trajectories are not wanted |
 * | `duplicate_trajectory` | nearly the same trajectory is kept already |
 * | `not_best_of_task` | other trajectories of the same task were chosen |
 * | `over_quota` | the quota of its group is full |
 * | `rejected_by_reviewer` | people who looked at it rejected it, see `review.rule` |
 * | `over_target` | the dataset holds what `target` asks for, or `target` asks for no rows of its profile |
 * | `too_long` | the rendered row is longer than `dataset.cutoff_len` tokens; where rows are cut, its prompt and first trained segment alone are |
 * | `nothing_trained` | the settings in `dataset.mask` leave no segment of the row in the loss |
 * | `malformed_row` | import: the row is not what its format says; the evidence names the path of the field |
 * | `ambiguous_row` | import: the row's own record does not tell what happened in which order |
 * | `unsupported_row` | import: the row is right, but holds what a trace or the profile has no place for |
 */
export const dropReasonSchema = z.enum([
  'bad_task',
  'too_few_tests',
  'duplicate_question',
  'near_duplicate_question',
  'contaminated',
  'too_easy',
  'too_hard',
  'unrated',
  'invalid_grammar',
  'wrong_answer',
  'too_few_interactions',
  'redundant_tool_input',
  'instruction_failure',
  'no_reflection',
  'lint_finding',
  'length_out_of_range',
  'unwanted_language',
  'secret_in_text',
  'duplicate_trajectory',
  'not_best_of_task',
  'over_quota',
  'rejected_by_reviewer',
  'over_target',
  'too_long',
  'nothing_trained',
  'malformed_row',
  'ambiguous_row',
  'unsupported_row',
]);
export type DropReason = z.infer<typeof dropReasonSchema>;

/**
 * Why a record could not be worked on. A failure says nothing about the record's content and never becomes a label.
 *
 * | cause | meaning | retryable |
 * |---|---|---|
 * | `endpoint_refused` | no connection to the model endpoint | yes |
 * | `endpoint_error` | the endpoint answered 5xx, or cut the answer, after all retries | yes |
 * | `endpoint_rate_limited` | 429 after all retries | yes |
 * | `endpoint_timeout` | no answer in time, after all retries | yes |
 * | `endpoint_rejected` | 4xx: the request itself, the key or the model is wrong | no |
 * | `malformed_answer` | the model's answer did not have the shape asked for, after all asks | yes |
 * | `model_refused` | the model refused, or its answer was withheld by a content filter | no |
 * | `answer_truncated` | the answer stopped at the length limit | yes |
 * | `context_exceeded` | the conversation no longer fits the model | no |
 * | `budget_steps`, `budget_calls`, `budget_tokens`, `budget_time` | the task's budget ran out before an answer | no |
 * | `tool_unavailable` | a tool's service could not be reached or failed | yes |
 * | `sandbox_unavailable` | no sandbox could run the program | yes |
 * | `unreadable_answer` | no rule can compare the answer with the gold one, which it could compare with itself: it can't be read, has units that don't convert, or takes too much work | no |
 * | `unscored` | the judge could not come to a verdict | where a model judges, not where a rule can't tell |
 * | `inexpressible` | the trace holds what the profile's grammar can't say | no |
 * | `not_cached` | `--offline`: the cache holds no answer to a request of the task | yes |
 * | `worker_lost` | a run on many machines: each worker that had the task was lost, as when it takes more memory than there is | yes |
 * | `internal` | a fault in coa-distill | yes |
 */
export const failureCauseSchema = z.enum([
  'endpoint_refused',
  'endpoint_error',
  'endpoint_rate_limited',
  'endpoint_timeout',
  'endpoint_rejected',
  'malformed_answer',
  'model_refused',
  'answer_truncated',
  'context_exceeded',
  'budget_steps',
  'budget_calls',
  'budget_tokens',
  'budget_time',
  'tool_unavailable',
  'sandbox_unavailable',
  'unreadable_answer',
  'unscored',
  'inexpressible',
  'not_cached',
  'worker_lost',
  'internal',
]);
export type FailureCause = z.infer<typeof failureCauseSchema>;

/**
 * Whose each failure is. The player's own: it gave no answer within its limits, or none that can be read. Of any other
 * failure nothing follows for the player. The machine's: the run itself failed at the record.
 */
const causedBy: Readonly<Record<FailureCause, 'player' | 'machine' | 'others'>> = {
  malformed_answer: 'player',
  model_refused: 'player',
  answer_truncated: 'player',
  context_exceeded: 'player',
  budget_steps: 'player',
  budget_calls: 'player',
  budget_tokens: 'player',
  budget_time: 'player',
  unreadable_answer: 'player',
  endpoint_refused: 'others',
  endpoint_error: 'others',
  endpoint_rate_limited: 'others',
  endpoint_timeout: 'others',
  endpoint_rejected: 'others',
  tool_unavailable: 'others',
  sandbox_unavailable: 'machine',
  unscored: 'others',
  inexpressible: 'others',
  not_cached: 'others',
  worker_lost: 'machine',
  internal: 'machine',
};

/** Whether a failure is the player's: it had its chance, and gave no answer. */
export function isOfPlayer(cause: FailureCause): boolean {
  return causedBy[cause] === 'player';
}

/** Whether neither the record nor a service is to blame, but the machine that the run works on, or this program. */
export function isOfMachine(cause: FailureCause): boolean {
  return causedBy[cause] === 'machine';
}

/** A failure as it stands in ledgers and traces: attributed once, where it happened. */
export const stageFailureSchema = z.object({
  cause: failureCauseSchema,
  /** One readable line. Never holds a secret. */
  message: z.string(),
  /** True when the same work may succeed later. */
  retryable: z.boolean(),
  /** What is needed to understand it: status codes, validation errors, the role that asked. */
  evidence: jsonObjectSchema,
});
export type StageFailure = z.infer<typeof stageFailureSchema>;

/** Which of the task's rollouts a line is about, from 0; absent for the first, and before there are any. */
const rolloutSchema = z.int().positive().optional();
/** The rollout of the task that this one is the second try of; absent for what is no second try. */
const repairsSchema = z.int().nonnegative().optional();

/** One line of `<stage>/ledger.jsonl`: a record that did not leave the stage as emitted. */
export const ledgerEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('drop'),
    /** Place of the record among the stage's inputs, from 0. */
    index: z.int().nonnegative(),
    record_id: z.string(),
    task_id: z.string(),
    rollout: rolloutSchema,
    repairs: repairsSchema,
    reason: dropReasonSchema,
    evidence: jsonObjectSchema,
  }),
  z.object({
    kind: z.literal('fail'),
    index: z.int().nonnegative(),
    record_id: z.string(),
    task_id: z.string(),
    rollout: rolloutSchema,
    repairs: repairsSchema,
    failure: stageFailureSchema,
    /** What had been done by then, for instance the trace up to the failure. */
    partial: jsonObjectSchema.optional(),
  }),
]);
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
