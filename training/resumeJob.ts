import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { UserError } from '../base/userError.ts';
import type { JobControl } from '../contract/launcher.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';
import { causeAdvice } from './causes/crashCause.ts';
import { listCheckpoints, planResume } from './checkpoints.ts';
import { closeAttempt } from './closeAttempt.ts';
import { lastAttempt, readJob, withJob } from './jobFolder.ts';
import { startAttempt } from './startAttempt.ts';
import { trainerTable } from './trainers/trainerTable.ts';

/** What there was to resume. */
export interface ResumeResult {
  /** `running`: it still runs; `finished`: nothing is left to do; `resumed`: it was started again. */
  readonly found: 'running' | 'finished' | 'resumed';
  readonly record: JobRecord;
}

/** What a job is resumed with. */
export interface ResumeOptions {
  readonly control: JobControl;
  readonly clock: Clock;
  /** Throws when the job should not be started again. */
  beforeStart(record: JobRecord): Promise<void>;
}

/**
 * Resumes a job that ended early; one that runs or is finished is left as it is.
 *
 * @throws UserError for a job whose loss was no number, or whose checkpoints can't be resumed: nothing good would come of it
 */
export async function resumeJob(
  folder: string,
  { control, clock, beforeStart }: ResumeOptions,
): Promise<ResumeResult> {
  await closeAttempt(folder, control, clock);
  return withJob(folder, clock, async () => {
    const record = (await readJob(folder))!;
    const { end } = lastAttempt(record);
    if (end === null) return { found: 'running', record };
    if (end.outcome === 'finished') return { found: 'finished', record };
    if (end.cause === 'nan_loss') {
      throw new UserError(
        `${folder}: ${end.last_words}, and its checkpoints hold such weights; ${causeAdvice.nan_loss}`,
      );
    }
    await refuseBareWeights(folder, record);
    await beforeStart(record);
    return { found: 'resumed', record: await startAttempt(folder, record, control, clock) };
  });
}

/** Without its optimiser's state and its place in the data, a trainer begins both from the start, and says nothing. */
async function refuseBareWeights(folder: string, { plan, follow }: JobRecord): Promise<void> {
  const { checkpoints, footprintOf } = trainerTable[plan.trainer];
  if (footprintOf(plan.hyper_parameters).savesOptimizer) return;
  const saved = await listCheckpoints(checkpoints, join(folder, follow.checkpoint_folder));
  // Without a checkpoint it starts from the beginning, as it should.
  if (planResume(saved).fromStep === 0) return;
  throw new UserError(
    `${folder}: its checkpoints hold the weights and not the optimiser's state (save_only_model), so that it can't be resumed; start it again under another --job name, without save_only_model`,
  );
}
