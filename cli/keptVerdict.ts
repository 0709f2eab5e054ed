import { dropReasons } from '../schemas/dropReasons.ts';
import { type FailureCause, failureCauses } from '../schemas/failureCauses.ts';
import type { FunnelRow } from '../schemas/report.ts';
import type { TargetFile } from '../schemas/run/targetFile.ts';
import { targetText } from './targetText.ts';

/** How much of what entered a run left its last stage, as far as a user has to act on it. */
export interface KeptVerdict {
  /** True when records entered and none was kept: the command exits with 2. */
  readonly isTotalLoss: boolean;
  /** What to say before everything else; none when at least half was kept. */
  readonly lines: readonly string[];
  /** Most frequent reason, where lines are said. */
  readonly commonest?: Loss;
}

/** Why records ended before the dataset at one stage, and how many. */
export interface Loss {
  readonly stage: string;
  readonly kind: 'failed' | 'dropped';
  readonly reason: string;
  readonly count: number;
}

const endRows: Readonly<Record<string, { readonly advice: string } | undefined>> = {
  ...failureCauses,
  ...dropReasons,
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
  const advice = commonest && endRows[commonest.reason]?.advice;
  return {
    isTotalLoss: kept === 0,
    lines: advice ? [...lines, `what to do: ${advice}`] : lines,
    ...(commonest && { commonest }),
  };
}

/**
 * Records that a run lost to the machine: its sandbox, a worker or this program failed at them. A line for
 * each cause at a stage; none where nothing was lost so.
 *
 * @param again the command that resumes the run; undefined where it has no `--retry`
 */
export function machineLosses(funnel: readonly FunnelRow[], again: string | undefined): string[] {
  return lossesOf(funnel).flatMap(({ stage, kind, reason, count }) => {
    if (kind !== 'failed' || failureCauses[reason as FailureCause]?.of !== 'machine') return [];
    const retry = again === undefined ? '' : `, then run: ${again} --retry failed:${reason}`;
    return [
      `${count} of ${enteredBy(stage, funnel)} were lost at ${stage} to the machine (${reason}): ${endRows[reason]?.advice}${retry}`,
    ];
  });
}

/** Whether a run with a target has worked on all tasks and lacks something. */
function isShort({ wanted, windows }: TargetFile): boolean {
  const { held } = windows.at(-1)!;
  return held !== undefined && Object.entries(wanted).some(([key, want]) => held[key]! < want);
}

/** What a stage's records are counted against: the most that entered it or a stage before it, as one task may have several rollouts. */
function enteredBy(stage: string, funnel: readonly FunnelRow[]): number {
  const at = funnel.findIndex((row) => row.stage === stage);
  const before = at === -1 ? funnel : funnel.slice(0, at + 1);
  return Math.max(0, ...before.map(({ entered }) => entered));
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
