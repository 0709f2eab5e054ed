import { z } from 'zod';
import { Bitset } from '../../../base/bitset.ts';
import { GrowingColumn } from '../../../base/growingColumn.ts';
import { totalOf } from '../../../base/sum.ts';
import { ANY_PROFILE } from '../../../schemas/config/target.ts';
import { stageRecords } from '../stageInputs.ts';

/** Number of leading tasks per profile. */
export type TaskCounts = Readonly<Record<string, number>>;

const profileSchema = z.object({ profile: z.string() });

/** Profiles of tasks in order: four bytes per task. */
export class TaskOrder {
  readonly #names: string[] = [];
  readonly #profiles = new GrowingColumn(Uint32Array);

  /** Reads the tasks that a stage passed on. Throws `UserError` if records are damaged. */
  static async read(runFolder: string, stage: string): Promise<TaskOrder> {
    const order = new TaskOrder();
    for await (const { record } of stageRecords(runFolder, stage, profileSchema)) order.add(record.profile);
    return order;
  }

  add(profile: string): void {
    const known = this.#names.indexOf(profile);
    this.#profiles.push(known < 0 ? this.#names.push(profile) - 1 : known);
  }

  all(): TaskCounts {
    return this.first(this.#profiles.length);
  }

  /** Counts by profile of the first `tasks` tasks. */
  first(tasks: number): TaskCounts {
    return this.with({}, ANY_PROFILE, tasks);
  }

  /** Adds further tasks of a profile, or of any, in order. */
  with(counts: TaskCounts, profile: string, more: number): TaskCounts {
    const grown: Record<string, number> = { ...counts };
    let left = more;
    for (const { name, isChosen } of this.#walk(counts)) {
      if (left === 0) break;
      if (isChosen || (profile !== ANY_PROFILE && profile !== name)) continue;
      grown[name] = (grown[name] ?? 0) + 1;
      left--;
    }
    return grown;
  }

  placesOf(counts: TaskCounts): Bitset {
    const places = new Bitset();
    for (const { place, isChosen } of this.#walk(counts)) if (isChosen) places.add(place);
    return places;
  }

  *#walk(counts: TaskCounts) {
    const seen = this.#names.map(() => 0);
    for (let place = 0; place < this.#profiles.length; place++) {
      const profile = this.#profiles.at(place);
      const name = this.#names[profile]!;
      yield { place, name, isChosen: seen[profile]!++ < (counts[name] ?? 0) };
    }
  }
}

export function countOf(counts: TaskCounts, profile: string): number {
  if (profile !== ANY_PROFILE) return counts[profile] ?? 0;
  return totalOf(counts);
}
