import type { Clock } from '../../base/clock.ts';
import { printable } from '../../base/printable.ts';
import type { JobObserver } from '../../training/followJob.ts';
import type { JobStatus } from '../../training/jobStatus.ts';
import { LiveView } from '../liveView.ts';
import { jobProgressLine } from './jobProgressLine.ts';

/** Shows a job on stderr as it goes. */
export class FollowView implements JobObserver {
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
        `warning: the loss is no number since step ${nanSince}: the weights are of no use any more; stop it with: coa-distill train stop ${this.#name}`,
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
