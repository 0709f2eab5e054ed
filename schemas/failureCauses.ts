import { z } from 'zod';

/** Description of a failure cause. */
interface FailureCauseRow {
  readonly meaning: string;
  /**
   * Origin of the failure. `player`: no answer within its limits, or an unreadable one. `endpoint`: no answer,
   * independent of the record. `machine`: the run failed at the record, or this program did. `others`: no conclusion
   * about the player.
   */
  readonly of: 'player' | 'endpoint' | 'machine' | 'others';
  /** True if a retry may succeed later. */
  readonly retryable: boolean;
  /** Action to take if most records of a run fail so. */
  readonly advice: string;
}

const endpointAdvice = 'check the endpoint with: coa-distill doctor';

/**
 * Reasons why a record could not be processed. A failure says nothing about the record's content and never becomes a
 * label. Single source for each fact about a cause.
 */
export const failureCauses = {
  endpoint_refused: {
    meaning: 'no connection to the model endpoint',
    of: 'endpoint',
    retryable: true,
    advice: endpointAdvice,
  },
  endpoint_error: {
    meaning: 'the endpoint answered 5xx, or cut the answer, after all retries',
    of: 'endpoint',
    retryable: true,
    advice: endpointAdvice,
  },
  endpoint_rate_limited: {
    meaning: '429 after all retries',
    of: 'endpoint',
    retryable: true,
    advice: 'lower endpoint.concurrency of the model, or set endpoint.requests_per_minute',
  },
  endpoint_timeout: {
    meaning: 'no answer in time, after all retries',
    of: 'endpoint',
    retryable: true,
    advice: 'raise endpoint.timeout_s of the model',
  },
  endpoint_rejected: {
    meaning: '4xx: the request itself, the key or the model is wrong',
    of: 'endpoint',
    retryable: false,
    advice: endpointAdvice,
  },
  malformed_answer: {
    meaning: "the model's answer did not have the shape asked for, after all asks",
    of: 'player',
    retryable: true,
    advice:
      'use a model that follows the roles, or raise teacher.max_asks; of a CoA model that plays alone: train it longer, it breaks its grammar',
  },
  model_refused: {
    meaning: 'the model refused, or its answer was withheld by a content filter',
    of: 'player',
    retryable: false,
    advice: 'the endpoint withholds its answers: look at its content filter, or use another model',
  },
  answer_truncated: {
    meaning: 'the answer stopped at the length limit',
    of: 'player',
    retryable: true,
    advice: 'raise sampling.max_tokens of the model whose answers are cut (models.NAME, or the role itself)',
  },
  context_exceeded: {
    meaning: 'the conversation no longer fits the model',
    of: 'player',
    retryable: false,
    advice:
      'use a model with a longer context, or shorten observations (tools.crawl_page.max_chars, tools.wiki_search.top_k)',
  },
  budget_steps: {
    meaning: "the task's steps ran out before an answer",
    of: 'player',
    retryable: false,
    advice: 'raise teacher.budget.max_steps',
  },
  budget_calls: {
    meaning: "the task's tool calls ran out before an answer",
    of: 'player',
    retryable: false,
    advice: 'raise teacher.player.max_tool_calls',
  },
  budget_tokens: {
    meaning: "the task's tokens ran out before an answer",
    of: 'player',
    retryable: false,
    advice: 'raise teacher.budget.max_tokens',
  },
  budget_time: {
    meaning: "the task's time ran out before an answer",
    of: 'player',
    retryable: false,
    advice:
      'raise teacher.budget.max_seconds, or lower teacher.concurrency: a task waits for its endpoint in its own time',
  },
  tool_unavailable: {
    meaning: "a tool's service could not be reached or failed",
    of: 'others',
    retryable: true,
    advice: 'check the tool and its key with: coa-distill doctor',
  },
  sandbox_unavailable: {
    meaning: 'no sandbox could run the program',
    of: 'machine',
    retryable: true,
    advice:
      'add the section tools.code where the configuration has none; install bubblewrap, then check with: coa-distill doctor',
  },
  unreadable_answer: {
    meaning:
      "no rule can compare the answer with the gold one, which it could compare with itself: it can't be read, has units that don't convert, may say the same in other words, or takes too much work",
    of: 'player',
    retryable: false,
    advice:
      'look at the answers in the report; evaluations and RL count them as wrong; a model decides about words with judge.text: rule_then_model',
  },
  unscored: {
    meaning: "the judge could not come to a verdict; not retryable where a rule can't tell",
    of: 'others',
    retryable: true,
    advice: 'look at the verdicts in the report; a model judge decides what rules cannot',
  },
  own_code: {
    meaning: "the user's own module (tool, rule, judge) threw, answered in another form, or took too long",
    of: 'others',
    retryable: true,
    advice: 'look at the messages in the report, and correct the module',
  },
  inexpressible: {
    meaning: "the trace holds what the profile's grammar can't say",
    of: 'others',
    retryable: false,
    advice: 'look at the examples in the report; the profile has no tag for what they hold',
  },
  not_cached: {
    meaning: '`--offline`: the cache holds no answer to a request of the task',
    of: 'endpoint',
    retryable: true,
    advice: 'run without --offline once',
  },
  worker_lost: {
    meaning:
      'a run on many machines: each worker that had the task was lost, as when it takes more memory than there is',
    of: 'machine',
    retryable: true,
    advice: 'look at what ended the workers (memory?)',
  },
  internal: {
    meaning: 'a fault in coa-distill',
    of: 'machine',
    retryable: true,
    advice: 'look at the messages in the report; this is a fault of coa-distill',
  },
} as const satisfies Readonly<Record<string, FailureCauseRow>>;

export type FailureCause = keyof typeof failureCauses;
export const failureCauseSchema = z.enum(Object.keys(failureCauses) as [FailureCause, ...FailureCause[]]);

// A journal of another version may contain an unknown cause.

/** True if the failure is the player's: it had its chance and gave no answer. */
export function isOfPlayer(cause: FailureCause): boolean {
  return failureCauses[cause]?.of === 'player';
}

/** True if an endpoint failed, independent of the record. */
export function isOfEndpoint(cause: FailureCause): boolean {
  return failureCauses[cause]?.of === 'endpoint';
}
