import { explainDiskError } from '../base/files/diskError.ts';
import { printable } from '../base/printable.ts';
import { ProblemList, UserError } from '../base/userError.ts';
import { BudgetSpent } from '../contract/errors.ts';
import { Interrupted, RunError } from '../pipeline/run/runError.ts';
import { coloured } from './outputMode.ts';
import { runnable } from './programCommand.ts';

/**
 * Prints an error for users: one line per problem, a stack only with `--debug`.
 *
 * @returns the exit code
 */
export function explainFailure(error: unknown, debug: boolean): number {
  // Error of a disposal that followed another error.
  const last = error instanceof SuppressedError ? error.error : error;
  const explained = explainDiskError(last, 'the run folder');
  if (debug && explained instanceof Error) console.error(explained.stack);
  if (explained instanceof Interrupted) return explained.exitCode;
  const say = (word: string, text: string) =>
    console.error(`${coloured('red', word, process.stderr)} ${oneLine(text)}`);
  if (explained instanceof BudgetSpent) {
    console.error(oneLine(explained.message));
    return 3;
  }
  if (explained instanceof ProblemList && explained.lines.length > 1) {
    say('error:', `${explained.lines.length} problems`);
    for (const line of explained.lines) console.error(`  ${oneLine(line)}`);
    if (explained.advice !== undefined) console.error(oneLine(explained.advice));
    return 2;
  }
  const message = explained instanceof Error ? explained.message : String(explained);
  const isKnown = explained instanceof UserError || explained instanceof RunError;
  if (isKnown) say('error:', message);
  else say('internal error:', `${message} (run again with --debug for the stack)`);
  return explained instanceof UserError ? 2 : 1;
}

/** Formats a message as one line without control characters, since it may quote files and endpoints. */
function oneLine(message: string): string {
  return runnable(printable(message.replace(/\s*\n\s*/g, ' ')));
}
