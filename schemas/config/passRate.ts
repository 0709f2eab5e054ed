import { z } from 'zod';
import { inputPath, keyOf, share } from './keyMeaning.ts';

const inOrder = ({ min = 0, max = 1 }: { min?: number | undefined; max?: number | undefined }) => min <= max;
const notInOrder = { path: ['min'], message: 'expected at most max' };

function bounds(stages: readonly string[]) {
  const rateKey = keyOf(...stages);
  return {
    min: rateKey(share.optional(), 'Minimum share of correct tries; below: too_hard; absent: any'),
    max: rateKey(share.optional(), 'Maximum share of correct tries; above: too_easy; absent: any'),
  };
}

/** `pass_rate`: allowed range of a task's pass rate, inclusive. Changes make `stages` stale. */
export function passRateSchema(...stages: readonly string[]) {
  return z.strictObject(bounds(stages)).refine(inOrder, notInOrder);
}

/** Variant of {@link passRateSchema} with an optional file of rates; `otherwise` describes the default. */
export function passRateFromSchema(otherwise: string, ...stages: readonly string[]) {
  const from = keyOf(...stages)(
    inputPath.optional(),
    `File of pass rates, a line {task_id or question, passed, samples} each, such as another run's tasks.pass_rates.jsonl; absent: ${otherwise}`,
  );
  return z.strictObject({ ...bounds(stages), from }).refine(inOrder, notInOrder);
}
