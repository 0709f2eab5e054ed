import { stagesBefore } from '../contract/stageTable.ts';
import { type DropReason, type FailureCause, isOfMachine } from '../schemas/outcome.ts';
import type { FunnelRow } from '../schemas/report.ts';
import type { TargetFile } from '../schemas/run/targetFile.ts';
import { targetText } from './targetText.ts';

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

const rowAdvice = 'look at the rows that the ledger names, and at coa-distill import --help';

/** What to do where the same thing ends most records of a run. */
const adviceByReason: Readonly<Record<DropReason | FailureCause, string>> = {
  endpoint_refused: endpointAdvice,
  endpoint_error: endpointAdvice,
  endpoint_rate_limited: 'lower teacher.endpoint.concurrency, or set requests_per_minute',
  endpoint_timeout: 'raise teacher.endpoint.timeout_s',
  endpoint_rejected: endpointAdvice,
  malformed_answer:
    'use a model that follows the roles, or raise teacher.max_asks; of a CoA model that plays alone: train it longer, it breaks its grammar',
  model_refused: 'the endpoint withholds its answers: look at its content filter, or use another model',
  answer_truncated: 'raise the max_tokens of the roles whose answers are cut',
  context_exceeded: 'use a model with a longer context, or lower the length of observations',
  budget_steps: 'raise teacher.budget.max_steps',
  budget_calls: 'raise teacher.player.max_tool_calls',
  budget_tokens: 'raise teacher.budget.max_tokens',
  budget_time:
    'raise teacher.budget.max_seconds, or lower teacher.concurrency: a task waits for its endpoint in its own time',
  tool_unavailable: 'check the tool and its key with: coa-distill doctor',
  sandbox_unavailable: 'install bubblewrap, then check with: coa-distill doctor',
  unreadable_answer: 'look at the answers in the report; evaluations and RL count them as wrong',
  unscored: 'look at the verdicts in the report; a model judge decides what rules cannot',
  inexpressible: 'look at the examples in the report; the profile has no tag for what they hold',
  not_cached: 'run without --offline once',
  worker_lost: 'look at what ended the workers (memory?)',
  internal: 'look at the messages in the report; this is a fault of coa-distill',
  bad_task: 'correct the rows of the task files that the ledger names',
  too_few_tests: 'use tasks with more tests, or lower filters.min_tests',
  duplicate_question: 'the task file repeats its questions',
  near_duplicate_question:
    'the task file repeats its questions in other words; dedup.questions says how near',
  contaminated: 'the tasks stand in a benchmark of decontaminate: use other tasks',
  too_easy: 'use harder tasks, or raise the pass rate that probe, filters.difficulty or select allows',
  too_hard: 'use easier tasks, or lower the pass rate that probe, filters.difficulty or select asks for',
  unrated: 'name a model in probe, or set probe.unrated to keep',
  invalid_grammar: 'use a model that follows the roles; the report has examples',
  wrong_answer: 'look at answers and verdicts in the report',
  too_few_interactions: 'use harder tasks, or lower filters.min_interactions',
  redundant_tool_input: 'raise filters.max_redundant_tool_inputs, or use a model that repeats itself less',
  instruction_failure: 'look at the verdicts in the report',
  no_reflection: 'raise filters.reflection.rate',
  lint_finding: 'look at the examples in the report, or take the rule out of filters.lint',
  length_out_of_range: 'change filters.length',
  unwanted_language: 'change filters.languages, or use a model that answers in them',
  secret_in_text: 'set filters.secrets.action to mask',
  duplicate_trajectory: 'raise dedup.trajectories.min_jaccard, or lower the rollouts of a task',
  not_best_of_task: 'nothing, if only the best of each task is wanted; else change select',
  over_quota: 'nothing, if such quotas are meant; else change balance',
  rejected_by_reviewer: 'look at their reasons in review/ledger.jsonl',
  over_target: 'nothing: the dataset holds what target asks for',
  too_long: 'raise dataset.cutoff_len, or let rows be cut',
  nothing_trained: 'change dataset.mask',
  malformed_row: rowAdvice,
  ambiguous_row: rowAdvice,
  unsupported_row: rowAdvice,
};

/**
 * Says what became of a run as a whole.
 *
 * @param funnel The stages in their order, as the report has them.
 * @param target The windows of a run with a target, which is what its rows are held against.
 * @param missed The funnel of those tasks that the target lacks rows of; absent: of all.
 */
export function keptVerdict(
  funnel: readonly FunnelRow[],
  target: TargetFile | null = null,
  missed: readonly FunnelRow[] = funnel,
): KeptVerdict {
  const entered = funnel[0]?.entered ?? 0;
  const kept = funnel.at(-1)?.emitted ?? 0;
  const isEnough = target ? !isShort(target) : kept * 2 >= entered;
  if (entered === 0 || isEnough) return { isTotalLoss: false, lines: [] };
  const commonest = lossesOf(missed)[0];
  const onlySome = target
    ? `the target is missed (${targetText(target)})`
    : `only ${kept} of ${enteredBy('export', funnel)} were kept`;
  const whatWasKept = kept === 0 ? 'nothing was kept' : onlySome;
  const lines = [
    `${whatWasKept}: ${commonest ? describeLoss(commonest, enteredBy(commonest.stage, missed)) : 'no reason is on record'}`,
  ];
  const advice = commonest && adviceByReason[commonest.reason as DropReason | FailureCause];
  return { isTotalLoss: kept === 0, lines: advice ? [...lines, `what to do: ${advice}`] : lines };
}

/**
 * Records that a run lost through no fault of theirs: its sandbox, a worker or this program failed at them. A line for
 * each cause at a stage; none where nothing was lost so.
 *
 * @param again the command that resumes the run; undefined where it has no `--retry`
 */
export function machineLosses(funnel: readonly FunnelRow[], again: string | undefined): string[] {
  return lossesOf(funnel).flatMap(({ stage, kind, reason, count }) => {
    if (kind !== 'failed' || !isOfMachine(reason as FailureCause)) return [];
    const retry = again === undefined ? '' : `, then run: ${again} --retry failed:${reason}`;
    const advice = adviceByReason[reason as FailureCause];
    return [
      `${count} of ${enteredBy(stage, funnel)} were lost at ${stage} through no fault of theirs (${reason}): ${advice}${retry}`,
    ];
  });
}

/** Whether a run with a target has worked on all tasks and lacks something. */
function isShort({ wanted, windows }: TargetFile): boolean {
  const { held } = windows.at(-1)!;
  return held !== undefined && Object.entries(wanted).some(([key, want]) => held[key]! < want);
}

/** What a stage's records are counted against: what entered the run, or the rollouts where tasks had several. */
function enteredBy(stage: string, funnel: readonly FunnelRow[]): number {
  const entered = funnel[0]?.entered ?? 0;
  if (stagesBefore('rollout').some((name) => name === stage)) return entered;
  return Math.max(entered, funnel.find((row) => row.stage === 'rollout')?.entered ?? 0);
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
