import { UserError } from '../../base/userError.ts';
import type { GateFacts } from '../../contract/trainingGate.ts';
import { trainerTable } from '../trainers/trainerTable.ts';

/**
 * Judges a job by every gate of its trainer.
 *
 * @returns what could not be checked from here, each with the reason
 * @throws UserError with the refusals, each of which says what to change
 */
export function passGates(facts: GateFacts): string[] {
  const results = trainerTable[facts.plan.trainer].gates.map((gate) => gate(facts));
  const refusals = results.flatMap((result) => (result.kind === 'refuse' ? [result.message] : []));
  if (refusals.length > 0) throw new UserError(refusals.join('; also: '));
  return results.flatMap((result) => (result.kind === 'unchecked' ? [result.message] : []));
}
