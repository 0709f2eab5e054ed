import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { printable } from '../base/printable.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { compareRuns, type RecordChange, type RunComparison } from '../operations/compareRuns.ts';
import type { RecordOutcome } from '../operations/recordOutcomes.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { formatCount, formatTable } from './format.ts';
import { runnable } from './programCommand.ts';

/** Prints the differences of two runs or evaluations. */
export async function compareFromCommandLine(
  a: string,
  b: string,
  { json }: { readonly json?: true },
): Promise<void> {
  const evaluations = [a, b].map(evaluationFolder);
  if (evaluations.every((folder) => existsSync(join(folder, 'evaluation.json')))) {
    const { printEvaluationComparison } = await import('./printEvaluationComparison.ts');
    return printEvaluationComparison(evaluations[0]!, evaluations[1]!, { json });
  }
  const comparison = await compareRuns(await findRun(a), await findRun(b));
  console.log(json ? JSON.stringify(comparison) : runnable(compareLines(comparison).join('\n')));
}

function evaluationFolder(nameOrFolder: string): string {
  const named = resolve('runs', nameOrFolder);
  return existsSync(join(named, 'evaluation.json')) ? named : resolve(nameOrFolder);
}

/** Records listed per kind of change. */
const MAX_NAMED = 3;

export function compareLines(comparison: RunComparison): string[] {
  const { a, b, up_to, settings, kept_in_both, tasks, entered, left, other_repeats, other_reason } =
    comparison;
  const kinds = [entered, left, other_repeats, other_reason];
  const rows = kinds.flatMap(kindsOf);
  const [change] = kinds.flat();
  return [
    `${a} -> ${b}: ${formatCount(entered.length)} records enter, ${formatCount(left.length)} leave, ${formatCount(kept_in_both)} are kept in both`,
    ...(tasks
      ? [
          `these are rollouts; of tasks, ${formatCount(tasks.entered)} enter, ${formatCount(tasks.left)} leave, ${formatCount(tasks.kept_in_both)} are kept in both`,
        ]
      : []),
    settings.length === 0
      ? 'settings that shape records: the same'
      : `other settings: ${settings.join(', ')}`,
    ...[a, b].flatMap((run, at) =>
      up_to[at] === 'export'
        ? []
        : [`${run} is finished up to ${up_to[at]}: what it handed on counts as kept`],
    ),
    ...(rows.length === 0
      ? []
      : ['', ...formatTable([['records', `in ${a}`, `in ${b}`, 'for instance'], ...rows])]),
    ...(change ? ['', `a record's story: coa-distill why ${quoteShellWord(b)} ${change.task_id}`] : []),
  ].map(printable);
}

/** Rows by pair of ends, most frequent first. */
function kindsOf(changes: readonly RecordChange[]): (string | number)[][] {
  const kinds = Map.groupBy(changes, ({ was, now }) => `${describe(was)}\n${describe(now)}`);
  return [...kinds.values()]
    .sort((x, y) => y.length - x.length)
    .map((list) => [
      list.length,
      describe(list[0]!.was),
      describe(list[0]!.now),
      list
        .slice(0, MAX_NAMED)
        .map(({ task_id, rollout }) => (rollout === undefined ? task_id : `${task_id}#${rollout}`))
        .join(' '),
    ]);
}

function describe(end: RecordOutcome | null): string {
  if (!end) return 'absent';
  if (end.kind === 'kept') return end.rows === 1 ? 'kept' : `kept ${end.rows} times`;
  return `${end.kind} by ${end.stage}: ${end.reason}`;
}
