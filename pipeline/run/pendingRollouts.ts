import { z } from 'zod';
import { Bitset } from '../../base/bitset.ts';
import { mostRollouts, type RolloutPlan } from '../../schemas/config/rollouts.ts';
import type { StageFile } from '../../schemas/run/runFile.ts';
import { StageInputs } from './stageInputs.ts';
import type { StageLog } from './stageLog.ts';
import type { PendingRollouts, RunStagesOptions, StageWork } from './stageWork.ts';

interface RolloutStage extends Pick<StageWork, 'wanted' | 'before'> {
  readonly indexOf: StageFile['index_of'];
  readonly log: StageLog;
  readonly plan: RolloutPlan;
}

const profileSchema = z.object({ profile: z.string() });

/** Reads, when it is asked, which rollouts are to come now. All tasks are read for it. */
export function createPendingRollouts(
  { runFolder, chosen }: Pick<RunStagesOptions, 'runFolder' | 'chosen'>,
  { wanted, before, indexOf, log, plan }: RolloutStage,
): () => Promise<PendingRollouts> {
  const finished = new Bitset();
  for (const index of log.finishedIndexes()) finished.add(index);
  return async () => {
    const most = mostRollouts(plan);
    // One text for each profile, however many tasks there are.
    const names = new Map<string, string>();
    const pending = { places: [] as number[], profiles: [] as string[] };
    const tasks = await StageInputs.open(runFolder, before!, {
      isSparse: indexOf !== undefined,
      ...(chosen?.stage === wanted.stage && { chosen: chosen.places }),
    });
    try {
      for await (const { index, record } of tasks.read(profileSchema)) {
        const profile = names.get(record.profile) ?? record.profile;
        names.set(profile, profile);
        for (let place = index * most; place < (index + 1) * most; place++) {
          if (finished.has(place)) continue;
          pending.places.push(place);
          pending.profiles.push(profile);
        }
      }
    } finally {
      await tasks.close();
    }
    return pending;
  };
}
