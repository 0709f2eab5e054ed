import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { Outcome } from './database/shardStatements.ts';
import type { ShardInput } from './sharedRun.ts';

/** Failures at which a worker is told to leave that its endpoint has not answered once. */
const MOST_SUSPECT = 8;

/** An outcome, and whose it is. */
export interface OwnedOutcome {
  /** The worker's id: another one with each lease. */
  readonly worker: string;
  readonly stage: StageName;
  readonly key: string;
  readonly input: ShardInput;
  readonly outcome: Outcome;
}

interface Decision {
  /** They stand. */
  readonly stand: readonly OwnedOutcome[];
  /** Their tasks are to be tried again. */
  readonly again: readonly OwnedOutcome[];
  /** Workers that are to leave. */
  readonly leave: readonly string[];
}

/**
 * Failures of workers whose endpoint has not answered once. They may be the worker's own, which has a wrong key or can't
 * reach the endpoint, and would fail all tasks faster than others solve them. So they wait: until the endpoint answers
 * this worker, then they stand; or another one, then the tasks are tried again. Where it answers nobody, they stand.
 */
export class SuspectFailures {
  readonly #answered = new Set<string>();
  readonly #failures = new Map<string, number>();
  #held: OwnedOutcome[] = [];

  /** How many failures wait. */
  get size(): number {
    return this.#held.length;
  }

  /** Whether an outcome would wait, or be tried again: only then its input is needed. */
  isSuspect({ worker, stage, outcome }: Pick<OwnedOutcome, 'worker' | 'stage' | 'outcome'>): boolean {
    return isUnasked(stage, outcome) && !this.#answered.has(nameOf({ worker, stage }));
  }

  note(noted: OwnedOutcome): Decision {
    const { worker, stage } = noted;
    if (!this.isSuspect(noted)) {
      const isNews = !isUnasked(stage, noted.outcome) && !this.#answered.has(nameOf(noted));
      if (!isNews) return { stand: [noted], again: [], leave: [] };
      this.#answered.add(nameOf(noted));
      const held = this.#take((one) => one.stage === stage);
      const { own = [], others = [] } = Object.groupBy(held, (one) =>
        one.worker === worker ? 'own' : 'others',
      );
      return { stand: [...own, noted], again: others, leave: this.#count(others) };
    }
    const answersOthers = [...this.#answered].some((name) => name.startsWith(`${stage} `));
    if (answersOthers) return { stand: [], again: [noted], leave: this.#count([noted]) };
    this.#held.push(noted);
    return { stand: [], again: [], leave: [] };
  }

  /** All that wait: nobody is left who could do better. */
  release(): readonly OwnedOutcome[] {
    return this.#take(() => true);
  }

  #take(isTaken: (one: OwnedOutcome) => boolean): OwnedOutcome[] {
    const taken = this.#held.filter(isTaken);
    this.#held = this.#held.filter((one) => !isTaken(one));
    return taken;
  }

  /** Counts failures that were their worker's own. Returns who has too many. */
  #count(failures: readonly OwnedOutcome[]): string[] {
    return failures.flatMap(({ worker }) => {
      const count = (this.#failures.get(worker) ?? 0) + 1;
      this.#failures.set(worker, count);
      return count === MOST_SUSPECT ? [worker] : [];
    });
  }
}

function isUnasked(stage: StageName, outcome: Outcome): boolean {
  return outcome.kind === 'fail' && stageRow(stage).endpoint?.isUnasked(outcome.failure) === true;
}

function nameOf({ worker, stage }: Pick<OwnedOutcome, 'worker' | 'stage'>): string {
  return `${stage} ${worker}`;
}
