import type { Clock } from '../base/clock.ts';
import type { JobControl } from '../contract/launcher.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';
import { attemptEnd } from './attemptEnd.ts';
import { TrainingLog } from './follow/trainingLog.ts';
import { lastAttempt, readJob, withJob, withLastAttempt, writeJob } from './jobFolder.ts';
import { trainerTable } from './trainers/trainerTable.ts';

/** Where the cause of a crash is looked for. */
const CONSOLE_TAIL_BYTES = 256 * 1024;

/**
 * Writes down how a job's latest attempt ended, if it has and nobody wrote it yet, and ends workers that a trainer
 * which was killed left behind.
 *
 * @returns the record as it is then
 */
export function closeAttempt(folder: string, control: JobControl, clock: Clock): Promise<JobRecord> {
  return withJob(folder, clock, async () => {
    const record = (await readJob(folder))!;
    const attempt = lastAttempt(record);
    if (attempt.end) return record;
    const state = await control.state(attempt.handle, folder);
    if (state.kind !== 'ended') return record;
    await control.stop(attempt.handle, folder);
    const { bytes } = await control.logs(attempt.handle, {
      folder,
      consoleFile: record.follow.console_file,
      from: attempt.console_offset,
      maxBytes: CONSOLE_TAIL_BYTES,
    });
    const end = attemptEnd({
      attempt,
      state,
      curve: await new TrainingLog(folder, record).read(),
      console: [bytes.toString('utf8'), ...(state.message ? [state.message] : [])].join('\n'),
      plannedSteps: record.plan.steps.total,
      signs: trainerTable[record.plan.trainer].failures,
    });
    const closed = withLastAttempt(record, { end });
    await writeJob(folder, closed);
    return closed;
  });
}
