import { byName, Counts } from '../../base/counts.ts';
import { sum, totalOf } from '../../base/sum.ts';
import type { StageOutcome } from '../../contract/stage.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';

export class Tally {
  #emittedInputs = 0;
  #emittedRecords = 0;
  readonly #dropped = new Counts();
  readonly #failed = new Counts();

  emitted(records: number): void {
    this.#emittedInputs++;
    this.#emittedRecords += records;
  }

  dropped(reason: string): void {
    this.#dropped.add(reason);
  }

  failed(cause: string): void {
    this.#failed.add(cause);
  }

  /** Removes a failure whose input is retried. */
  takeBack(cause: string): void {
    const left = (this.#failed.get(cause) ?? 0) - 1;
    if (left > 0) this.#failed.set(cause, left);
    else this.#failed.delete(cause);
  }

  add(outcome: StageOutcome<unknown>): void {
    if (outcome.kind === 'emit') this.emitted(outcome.records.length);
    else if (outcome.kind === 'drop') this.dropped(outcome.reason);
    else this.failed(outcome.failure.cause);
  }

  get finished(): number {
    return this.#emittedInputs + sum(this.#dropped.values()) + sum(this.#failed.values());
  }

  counts(entered: number): StageCounts {
    return {
      entered,
      emitted_inputs: this.#emittedInputs,
      emitted_records: this.#emittedRecords,
      dropped: byName(this.#dropped),
      failed: byName(this.#failed),
    };
  }
}

/** Describes inconsistent counts of a complete stage; undefined if they add up. */
export function countsProblem(stage: string, counts: StageCounts): string | undefined {
  const dropped = totalOf(counts.dropped);
  const failed = totalOf(counts.failed);
  if (counts.emitted_inputs + dropped + failed === counts.entered) return undefined;
  return `${stage}: ${counts.entered} inputs entered, but ${counts.emitted_inputs} went on, ${dropped} were dropped and ${failed} failed`;
}
