import { printable } from '../../base/printable.ts';
import { type AttemptEnd, crashCauses } from '../../schemas/training/jobRecord.ts';
import { causeAdvice } from '../../training/causes/crashCause.ts';

/** How an attempt ended, for a reader: what happened, the likely cause, what to do, the trainer's own last words. */
export function jobEndLines(name: string, end: AttemptEnd): string[] {
  if (end.outcome === 'finished') return [`${name}: finished`];
  const goOn = `go on with: coa-distill train resume ${name}`;
  if (end.outcome === 'stopped' && end.cause === null) return [`${name}: stopped; ${goOn}`];
  const cause =
    end.cause === null
      ? [`${name}: ${howItEnded(end)}`, goOn]
      : [
          `${name}: ${howItEnded(end)}: ${crashCauses[end.cause]} (${end.cause})`,
          `what to do: ${causeAdvice[end.cause]}`,
        ];
  const words = end.last_words.split('\n').filter((line) => line !== '');
  return [...cause, ...(words.length === 0 ? [] : ["the trainer's last words:"]), ...words.map(quoted)];
}

function howItEnded({ outcome, exit_code: exitCode }: AttemptEnd): string {
  if (outcome === 'stopped') return 'stopped';
  if (exitCode === null) return 'it is gone, and nothing tells how it ended';
  return exitCode === 0 ? 'failed, although its exit code is 0' : `failed with exit code ${exitCode}`;
}

/** Text of a trainer can't write to the screen. */
function quoted(line: string): string {
  return `  | ${printable(line)}`;
}
