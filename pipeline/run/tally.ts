import { byName, Counts } from '../../base/counts.ts';
import { sum, totalOf } from '../../base/sum.ts';
import type { StageOutcome } from '../../contract/stage.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';

/** Counts what becomes of a stage's inputs. */
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

  /** Takes back a failure whose input is pending again. */
  takeBack(cause: string): void {
    const left = (this.#failed.get(cause) ?? 0) - 1;
    if (left > 0) this.#failed.set(cause, left);
    else this.#failed.delete(cause);
  }

  /** Counts an outcome as the kind it is. */
  add(outcome: StageOutcome<unknown>): void {
    if (outcome.kind === 'emit') this.emitted(outcome.records.length);
    else if (outcome.kind === 'drop') this.dropped(outcome.reason);
    else this.failed(outcome.failure.cause);
  }

  /** Inputs that have ended in one of the three ways. */
  get finished(): number {
    return this.#emittedInputs + sum(this.#dropped.values()) + sum(this.#failed.values());
  }

  /** The counts of a stage that `entered` inputs went into. */
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

/** What is wrong with a complete stage's counts, in words; undefined when they add up. */
export function countsProblem(stage: string, counts: StageCounts): string | undefined {
  const dropped = totalOf(counts.dropped);
  const failed = totalOf(counts.failed);
  if (counts.emitted_inputs + dropped + failed === counts.entered) return undefined;
  return `${stage}: ${counts.entered} inputs entered, but ${counts.emitted_inputs} went on, ${dropped} were dropped and ${failed} failed`;
}
