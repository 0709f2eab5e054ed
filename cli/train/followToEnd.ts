import { printable } from '../../base/printable.ts';
import { systemClock } from '../../base/systemClock.ts';
import { Interrupted } from '../../pipeline/run/runError.ts';
import { followJob } from '../../training/followJob.ts';
import { lastAttempt } from '../../training/jobFolder.ts';
import type { JobStatus } from '../../training/jobStatus.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { LiveView } from '../liveView.ts';
import { runnable } from '../programCommand.ts';
import type { FoundJob } from './findJob.ts';
import { checkpointLines, jobEndLines, jobProgressLine, jobStatusJson } from './printJobStatus.ts';

/**
 * Follows a job on stderr until it ends, then prints how it ended. Ctrl-C and SIGTERM only end the following: the job
 * goes on, and is followed again with `train resume`.
 *
 * @returns the exit code: 0 when the job finished, 1 when it ended otherwise
 * @throws Interrupted for Ctrl-C and SIGTERM
 */
export async function followToEnd(
  job: FoundJob,
  { json = false }: { readonly json?: boolean },
): Promise<number> {
  const { folder, name } = job;
  const control = launcherTable[job.record.plan.launcher].open(systemClock);
  using view = new LiveView();
  using detach = detachOnSignals(name, (line) => view.note(line));
  const record = await followJob(folder, job.record, {
    control,
    clock: systemClock,
    observer: { status: showStatus(name, view) },
    signal: detach.signal,
  });
  view.clear();
  const end = lastAttempt(record).end!;
  if (json) console.log(JSON.stringify(await jobStatusJson({ folder, record, name })));
  else {
    const next = end.outcome === 'finished' ? await checkpointLines({ folder, record, name }) : [];
    console.log(runnable([...jobEndLines(name, end), ...next].join('\n')));
  }
  return end.outcome === 'finished' ? 0 : 1;
}

function showStatus(name: string, view: LiveView): (status: JobStatus) => void {
  let shown = '';
  let isWarned = false;
  return (status) => {
    const { nanSince } = status.progress;
    if (nanSince !== null && !isWarned) {
      isWarned = true;
      view.note(
        `warning: the loss is NaN since step ${nanSince}, the weights are unusable; stop it with: coa-distill train stop ${name}`,
      );
    }
    const line = printable(jobProgressLine(name, status));
    const isFirstOrLast = shown === '' || status.state.kind === 'ended';
    if (line === shown || !(isFirstOrLast || view.isDue())) return;
    shown = line;
    view.show([line]);
  };
}

/** Following that Ctrl-C and SIGTERM end; the job goes on. */
interface Detach extends Disposable {
  /** Aborted with {@link Interrupted} at the first signal. */
  readonly signal: AbortSignal;
  /** Leaves signals to Node again. */
  [Symbol.dispose](): void;
}

/**
 * Turns the first Ctrl-C or SIGTERM into the end of following a job. A second one ends this process at once.
 *
 * @param tell prints a line that says so
 */
function detachOnSignals(name: string, tell: (line: string) => void): Detach {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    const reason = new Interrupted(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
    if (controller.signal.aborted) process.exit(reason.exitCode);
    tell(
      `${signal}: no longer following; the job goes on. Follow it again with: coa-distill train resume ${name}; end it with: coa-distill train stop ${name}`,
    );
    controller.abort(reason);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
