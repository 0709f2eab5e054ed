import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import type { FingerprintHashes } from '../config/stageHashes.ts';
import { type PlannedStage, stageNameOf } from './plannedStage.ts';
import type { StageTarget } from './stageState.ts';

/** What the stages of a run are to be, as its configuration and the stages' code say. */
export function stageTargets(
  stages: readonly PlannedStage[],
  shaping: ConfigFingerprint,
  hashes: FingerprintHashes,
): StageTarget[] {
  return stages.map((planned) => {
    const stage = stageNameOf(planned);
    return {
      stage,
      version: planned.stage.version,
      configHash: hashes.stages.get(stage)!,
      settings: shaping[stage]!,
    };
  });
}
