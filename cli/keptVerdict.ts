import type { DropReason, FailureCause } from '../schemas/outcome.ts';
import type { FunnelRow } from '../schemas/report.ts';

/** How much of what entered a run left its last stage, as far as a user has to act on it. */
export interface KeptVerdict {
  /** True when records entered and none was kept: the command exits with 2. */
  readonly isTotalLoss: boolean;
  /** What to say before everything else; none when at least half was kept. */
  readonly lines: readonly string[];
}

/** Why records ended before the dataset at one stage, and how many. */
interface Loss {
  readonly stage: string;
  readonly kind: 'failed' | 'dropped';
  readonly reason: string;
  readonly count: number;
}

const endpointAdvice = 'check the endpoint with: coa-distill doctor';

/** What to do where the same thing ends most records of a run. */
const adviceByReason: Partial<Record<DropReason | FailureCause, string>> = {
  endpoint_refused: endpointAdvice,
  endpoint_error: endpointAdvice,
  endpoint_rate_limited: 'lower teacher.endpoint.concurrency, or set requests_per_minute',
  endpoint_timeout: 'raise teacher.endpoint.timeout_s',
  endpoint_rejected: endpointAdvice,
  malformed_answer: 'use a model that follows the roles, or raise max_asks',
  model_refused: 'the endpoint withholds its answers: look at its content filter, or use another model',
  answer_truncated: 'raise the max_tokens of the roles whose answers are cut',
  context_exceeded: 'use a model with a longer context, or lower the length of observations',
  budget_steps: 'raise teacher.budget',
  budget_tokens: 'raise teacher.budget',
  budget_time: 'raise teacher.budget',
  tool_unavailable: 'check the tool and its key with: coa-distill doctor',
  sandbox_unavailable: 'install bubblewrap, then check with: coa-distill doctor',
  not_cached: 'run without --offline once',
  wrong_answer: 'look at answers and verdicts in the report',
  duplicate_question: 'the task file repeats its questions',
};

/**
 * Says what became of a run as a whole.
 *
 * @param funnel The stages in their order, as the report has them.
 */
export function keptVerdict(funnel: readonly FunnelRow[]): KeptVerdict {
  const entered = funnel[0]?.entered ?? 0;
  const kept = funnel.at(-1)?.emitted ?? 0;
  if (entered === 0 || kept * 2 >= entered) return { isTotalLoss: false, lines: [] };
  const commonest = lossesOf(funnel)[0];
  const whatWasKept = kept === 0 ? 'nothing was kept' : `only ${kept} of ${entered} were kept`;
  const lines = [
    `${whatWasKept}: ${commonest ? describeLoss(commonest, entered) : 'no reason is on record'}`,
  ];
  const advice = commonest && adviceByReason[commonest.reason as DropReason | FailureCause];
  return { isTotalLoss: kept === 0, lines: advice ? [...lines, `what to do: ${advice}`] : lines };
}

/** Most frequent first; of equal ones, the earlier stage's. */
function lossesOf(funnel: readonly FunnelRow[]): Loss[] {
  const losses = funnel.flatMap(({ stage, failed, dropped }) =>
    (['failed', 'dropped'] as const).flatMap((kind) =>
      Object.entries(kind === 'failed' ? failed : dropped).map(([reason, count]) => ({
        stage,
        kind,
        reason,
        count,
      })),
    ),
  );
  return losses.sort((a, b) => b.count - a.count);
}

function describeLoss({ stage, kind, reason, count }: Loss, entered: number): string {
  return `the commonest cause is ${reason} (${count} of ${entered} ${kind} at ${stage})`;
}
