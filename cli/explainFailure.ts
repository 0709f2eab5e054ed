import { explainDiskError } from '../base/files/diskError.ts';
import { printable } from '../base/printable.ts';
import { ProblemList, UserError } from '../base/userError.ts';
import { BudgetSpent } from '../contract/errors.ts';
import { Interrupted, RunError } from '../pipeline/run/runError.ts';
import { coloured } from './outputMode.ts';
import { runnable } from './programCommand.ts';

/**
 * Prints an error as the user should see it: one line for each problem, a stack only for `--debug`.
 *
 * @returns the exit code
 */
export function explainFailure(error: unknown, debug: boolean): number {
  const explained = explainDiskError(error, 'the run folder');
  if (debug && explained instanceof Error) console.error(explained.stack);
  if (explained instanceof Interrupted) return explained.exitCode;
  if (explained instanceof BudgetSpent) {
    console.error(oneLine(explained.message));
    return 3;
  }
  if (explained instanceof ProblemList && explained.lines.length > 1) {
    console.error(`${coloured('red', 'error:', process.stderr)} ${explained.lines.length} problems`);
    for (const line of explained.lines) console.error(`  ${oneLine(line)}`);
    if (explained.advice !== undefined) console.error(oneLine(explained.advice));
    return 2;
  }
  if (explained instanceof UserError) {
    console.error(`${coloured('red', 'error:', process.stderr)} ${oneLine(explained.message)}`);
    return 2;
  }
  if (explained instanceof RunError) {
    console.error(`${coloured('red', 'error:', process.stderr)} ${oneLine(explained.message)}`);
    return 1;
  }
  const message = explained instanceof Error ? explained.message : String(explained);
  console.error(
    `${coloured('red', 'internal error:', process.stderr)} ${oneLine(message)} (run again with --debug for the stack)`,
  );
  return 1;
}

/** A message as one line for a terminal: files and endpoints that are quoted in it can't write to the screen. */
function oneLine(message: string): string {
  return runnable(printable(message.replace(/\s*\n\s*/g, ' ')));
}
