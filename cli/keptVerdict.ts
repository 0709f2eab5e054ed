import { dropReasons } from '../schemas/dropReasons.ts';
import { type FailureCause, failureCauses } from '../schemas/failureCauses.ts';
import type { FunnelRow } from '../schemas/report.ts';
import type { TargetFile } from '../schemas/run/targetFile.ts';
import { targetText } from './targetText.ts';

/** Assessment of the share of records that reached the last stage. */
export interface KeptVerdict {
  /** True if records entered and none was kept: exit code 2. */
  readonly isTotalLoss: boolean;
  /** Lines to print first; empty if at least half was kept. */
  readonly lines: readonly string[];
  /** Most frequent loss, if `lines` is not empty. */
  readonly commonest?: Loss;
}

/** Records lost at one stage for one reason. */
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
 * Assesses a run as a whole.
 *
 * @param funnel Stages in order, as in the report.
 * @param target Windows of a run with a target, to which its rows are compared.
 * @param missed Funnel of tasks for which the target lacks rows; default: all.
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
 * Records lost to the machine: its sandbox, a worker or this program failed. One line per cause and stage; empty
 * without losses.
 *
 * @param again the command that resumes the run; undefined if it has no `--retry`
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

/** True if a run with a target has used all tasks and is still incomplete. */
function isShort({ wanted, windows }: TargetFile): boolean {
  const { held } = windows.at(-1)!;
  return held !== undefined && Object.entries(wanted).some(([key, want]) => held[key]! < want);
}

/**
 * Base of a stage's percentages: the maximum that entered it or an earlier stage, since a task may have several
 * rollouts.
 */
function enteredBy(stage: string, funnel: readonly FunnelRow[]): number {
  const at = funnel.findIndex((row) => row.stage === stage);
  const before = at === -1 ? funnel : funnel.slice(0, at + 1);
  return Math.max(0, ...before.map(({ entered }) => entered));
}

/** Losses, most frequent first; ties by stage order. */
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
