import type { TeacherOutcome } from '../../contract/teacher.ts';
import { isOfPlayer } from '../../schemas/outcome.ts';
import { addTotals, type FailedTry, traceTotalsSchema } from '../../schemas/trace.ts';

/**
 * Begins a task again where the model gave no answer, up to so many tries. The outcome is the last one's; it says how
 * the others failed, and its totals count them.
 */
export async function solveInTries(
  tries: number,
  solve: () => Promise<TeacherOutcome>,
): Promise<TeacherOutcome> {
  const failed: FailedTry[] = [];
  for (;;) {
    const outcome = await solve();
    const isLast =
      outcome.kind === 'solved' || failed.length + 1 >= tries || !isOfPlayer(outcome.failure.cause);
    if (isLast) return failed.length === 0 ? outcome : withFailedTries(outcome, failed);
    failed.push({ failure: outcome.failure, totals: traceTotalsSchema.parse(outcome.partial.totals) });
  }
}

function withFailedTries(outcome: TeacherOutcome, failed_tries: readonly FailedTry[]): TeacherOutcome {
  const of = outcome.kind === 'solved' ? outcome.trace : outcome.partial;
  const own = traceTotalsSchema.parse(of.totals);
  const totals = failed_tries.reduce((sum, one) => addTotals(sum, one.totals), own);
  if (outcome.kind === 'failed')
    return { ...outcome, partial: { ...outcome.partial, failed_tries: [...failed_tries], totals } };
  return { ...outcome, trace: { ...outcome.trace, failed_tries: [...failed_tries], totals } };
}
