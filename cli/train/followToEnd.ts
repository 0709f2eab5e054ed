import type { Clock } from '../../base/clock.ts';
import { printable } from '../../base/printable.ts';
import { systemClock } from '../../base/systemClock.ts';
import { Interrupted } from '../../pipeline/run/runError.ts';
import { followJob, type JobObserver } from '../../training/followJob.ts';
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
  const view = new FollowView(name, systemClock);
  const detach = detachOnSignals(name, (line) => view.note(line));
  try {
    const record = await followJob(folder, job.record, {
      control,
      clock: systemClock,
      observer: view,
      signal: detach.signal,
    });
    view.close();
    const end = lastAttempt(record).end!;
    if (json) console.log(JSON.stringify(await jobStatusJson({ folder, record, name })));
    else {
      const next = end.outcome === 'finished' ? await checkpointLines({ folder, record, name }) : [];
      console.log(runnable([...jobEndLines(name, end), ...next].join('\n')));
    }
    return end.outcome === 'finished' ? 0 : 1;
  } finally {
    view.close();
    detach.release();
  }
}

/** Shows a job on stderr as it goes. */
class FollowView implements JobObserver {
  readonly #name: string;
  readonly #view: LiveView;
  #shown = '';
  #warned = false;

  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#view = new LiveView(clock);
  }

  status(status: JobStatus): void {
    const { nanSince } = status.progress;
    if (nanSince !== null && !this.#warned) {
      this.#warned = true;
      this.note(
        `warning: the loss is NaN since step ${nanSince}, the weights are unusable; stop it with: coa-distill train stop ${this.#name}`,
      );
    }
    const line = printable(jobProgressLine(this.#name, status));
    const isFirstOrLast = this.#shown === '' || status.state.kind === 'ended';
    if (line === this.#shown || !(isFirstOrLast || this.#view.isDue())) return;
    this.#shown = line;
    this.#view.show([line]);
  }

  /** Prints a line of its own. */
  note(line: string): void {
    this.#view.note(line);
  }

  /** Takes the live line away; calling it again changes nothing. */
  close(): void {
    this.#view.clear();
  }
}

/** Following that Ctrl-C and SIGTERM end; the job goes on. */
interface Detach {
  /** Aborted with {@link Interrupted} at the first signal. */
  readonly signal: AbortSignal;
  /** Leaves signals to Node again. */
  release(): void;
}

/**
 * Turns the first Ctrl-C or SIGTERM into the end of following a job. A second one ends this process at once.
 *
 * @param tell prints a line that says so
 */
export function detachOnSignals(name: string, tell: (line: string) => void): Detach {
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
    release() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
