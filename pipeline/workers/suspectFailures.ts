import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { Outcome } from './database/shardStatements.ts';
import type { ShardInput } from './sharedRun.ts';

/** Failures after which a worker whose endpoint never answered is told to leave. */
const MOST_SUSPECT = 8;

export interface OwnedOutcome {
  /** The worker's id, which changes with each lease. */
  readonly worker: string;
  readonly stage: StageName;
  readonly key: string;
  readonly input: ShardInput;
  readonly outcome: Outcome;
}

interface Decision {
  /** Confirmed outcomes. */
  readonly stand: readonly OwnedOutcome[];
  /** Outcomes whose tasks are tried again. */
  readonly again: readonly OwnedOutcome[];
  /** Workers to send away. */
  readonly leave: readonly string[];
}

/**
 * Failures of workers whose endpoint has never answered. A wrong key or a network problem of one worker would fail all
 * tasks faster than others solve them, so these failures wait. If the endpoint later answers this worker, they are
 * confirmed; if it answers another one, the tasks are tried again; if it answers no worker, they are confirmed.
 */
export class SuspectFailures {
  readonly #answered = new Set<string>();
  readonly #failures = new Map<string, number>();
  #held: OwnedOutcome[] = [];

  get size(): number {
    return this.#held.length;
  }

  /** True if an outcome would wait or be tried again, so that its input is needed. */
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

  /** Releases all waiting failures, since no other worker is left. */
  release(): readonly OwnedOutcome[] {
    return this.#take(() => true);
  }

  #take(isTaken: (one: OwnedOutcome) => boolean): OwnedOutcome[] {
    const taken = this.#held.filter(isTaken);
    this.#held = this.#held.filter((one) => !isTaken(one));
    return taken;
  }

  /** Counts failures per worker. Returns workers with too many. */
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
