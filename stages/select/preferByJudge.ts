import PQueue from 'p-queue';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { type Candidate, compareKeys } from './candidate.ts';

/** An attempt at a task as shown to a judge. */
interface ComparedAttempt {
  readonly answer: string;
  readonly work: string;
}

/** A judge that compares attempts at a task. */
export interface PreferenceJudge {
  /** Maximum concurrent tasks. */
  readonly atOnce: number;
  /** Shown part of a trajectory. */
  show(trajectory: Trajectory): ComparedAttempt;
  /** The place of the attempt that it prefers; undefined for a tie. */
  prefer(
    task: {
      readonly task_id: string;
      readonly question: string;
      readonly attempts: readonly ComparedAttempt[];
    },
    signal: AbortSignal,
  ): Promise<number | undefined>;
}

export type JudgedPreferences = ReturnType<typeof judgedPreferences>;

/**
 * Asks a judge about trajectories of a task that the preceding rules rank equal, once all of the task have arrived,
 * in id order. Their text is held until then.
 * @param at - Place of the judge among the rules.
 */
export function judgedPreferences(judge: PreferenceJudge, at: number, signal: AbortSignal) {
  const queue = new PQueue({ concurrency: judge.atOnce });
  const shownOf = new Map<string, { readonly of: Candidate; readonly attempt: ComparedAttempt }[]>();
  let failed: { readonly error: unknown } | undefined;

  const ask = async (task_id: string, question: string): Promise<void> => {
    const shown = shownOf.get(task_id)!;
    shownOf.delete(task_id);
    const before = ({ of }: { readonly of: Candidate }) => of.keys.slice(0, at);
    const best = shown.map(before).reduce((least, keys) => (compareKeys(keys, least) < 0 ? keys : least));
    const equals = shown
      .filter((one) => compareKeys(best, before(one)) >= 0)
      .toSorted((a, b) => (a.of.id < b.of.id ? -1 : 1));
    if (equals.length < 2) return;
    const attempts = equals.map(({ attempt }) => attempt);
    const preferred = await judge.prefer({ task_id, question, attempts }, signal);
    for (const [place, { of }] of equals.entries()) {
      of.isPreferred = place === preferred;
      if (of.isPreferred) of.keys[at] = 0;
    }
  };

  return {
    /** Adds a trajectory of a task with `count` in total. Waits while the judge is busy. Rethrows its errors. */
    async add(trajectory: Trajectory, of: Candidate, count: number): Promise<void> {
      const { task_id, question } = trajectory;
      const shown = shownOf.get(task_id) ?? [];
      shownOf.set(task_id, shown);
      shown.push({ of, attempt: judge.show(trajectory) });
      if (shown.length < count) return;
      await queue.onSizeLessThan(1);
      if (failed) throw failed.error;
      void queue.add(() =>
        ask(task_id, question).catch((error: unknown) => {
          failed ??= { error };
        }),
      );
    },

    /** Waits for the last answers. Rethrows errors of the judge. */
    async done(): Promise<void> {
      await queue.onIdle();
      if (failed) throw failed.error;
    },
  };
}
