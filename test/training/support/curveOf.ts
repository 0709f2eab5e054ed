import type { TrainerLogEntry } from '../../../contract/trainer.ts';
import { GrowingCurve } from '../../../training/follow/trainingLog.ts';

/** The course of a training that logged these entries, in this order. */
export function curveOf(entries: readonly TrainerLogEntry[]): GrowingCurve {
  const curve = new GrowingCurve();
  for (const entry of entries) curve.add(entry);
  return curve;
}
