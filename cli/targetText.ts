import { totalOf } from '../base/sum.ts';
import { countOf } from '../pipeline/run/windows/taskOrder.ts';
import { ANY_PROFILE } from '../schemas/config/target.ts';
import type { TargetFile } from '../schemas/run/targetFile.ts';
import { formatCount } from './format.ts';

/** Progress towards a target in one line; lists missing rows once no task is left. */
export function targetText({ unit, wanted, available, windows }: TargetFile): string {
  const { tasks } = windows.at(-1)!;
  const held = windows.findLast((window) => window.held)?.held ?? {};
  const parts = Object.entries(wanted).map(([key, want]) => ({
    name: key === ANY_PROFILE ? '' : `${key} `,
    want,
    has: held[key] ?? 0,
    isOver: windows.at(-1)!.held !== undefined && countOf(tasks, key) >= available[key]!,
  }));
  const all = totalOf(available);
  const took = `from ${formatCount(countOf(tasks, ANY_PROFILE))} of ${formatCount(all)} tasks`;
  const amounts = parts.map(
    ({ name, has, want }) => `${name}${formatCount(has)} of ${formatCount(want)} ${unit}`,
  );
  const missing = parts
    .filter(({ has, want, isOver }) => isOver && has < want)
    .map(({ name, has, want }) => `${name}${formatCount(want - has)} ${unit} are missing: no task is left`);
  const counted = windows.length === 1 ? '1 window' : `${formatCount(windows.length)} windows`;
  return [`${amounts.join(', ')}, ${took} in ${counted}`, ...missing].join('; ');
}
