import { createHash } from 'node:crypto';
import { byName, Counts } from '../../base/counts.ts';
import { type GroundingCounts, withGrounding } from '../../schemas/groundingCounts.ts';
import type { Manifest, Split } from '../../schemas/manifest.ts';
import type { PreferenceCounts } from '../../schemas/preferenceCounts.ts';
import type { Sample } from '../../schemas/sample.ts';
import { type TasksByTests, withTask } from '../../schemas/tasksByTests.ts';
import type { Quality } from '../../schemas/trajectory.ts';
import type { TokenisedRow } from '../rows/tokeniseRow.ts';
import type { DatasetRow } from './datasetFormat.ts';

export class RowCounts {
  rows = 0;
  tokens = 0;
  trained_tokens = 0;

  /** Adds a row with the tokens of all its parts. */
  add(...held: readonly Pick<TokenisedRow, 'inputIds' | 'trainedTokens'>[]): void {
    this.rows += 1;
    for (const { inputIds, trainedTokens } of held) {
      this.tokens += inputIds.length;
      this.trained_tokens += trainedTokens;
    }
  }
}

type CountedRow = Pick<
  DatasetRow,
  'trajectory' | 'inputIds' | 'trainedTokens' | 'escapedTokens' | 'repairedTexts' | 'bordersInTokens' | 'cut'
>;

export class DatasetCounts {
  readonly #all = new RowCounts();
  readonly #splits: Record<Split, number> = { train: 0, validation: 0 };
  readonly #profiles = new Counts();
  readonly #models = new Counts();
  readonly #members = new Counts();
  #tasksByTests: TasksByTests = {};
  #grounding: GroundingCounts | undefined;
  readonly #tasks = new Set<string>();
  #hasSiblings = false;
  #secondTries = 0;
  #lastTested: string | undefined;
  readonly #sums = { cut_rows: 0, disarmed_tokens: 0, repaired_texts: 0, boundary_tokens: 0 };

  /** Counts a trajectory's row with its repeats; returns the export stage's result for it. */
  add(row: CountedRow, split: Split, repeats = 1): Sample {
    const { id, task_id, rollout, quality } = row.trajectory;
    const first = this.#splits[split];
    for (let nth = 0; nth < repeats; nth++) this.#addOne(row, split);
    this.#tasks.add(task_id);
    this.#hasSiblings ||= rollout !== undefined;
    const tests = testsPassed(quality);
    if (tests !== undefined && task_id !== this.#lastTested) {
      this.#lastTested = task_id;
      this.#tasksByTests = withTask(this.#tasksByTests, tests);
    }
    return {
      id,
      task_id,
      ...(rollout !== undefined && { rollout }),
      split,
      row: first,
      ...(repeats > 1 && { repeats }),
      tokens: row.inputIds.length,
      trained_tokens: row.trainedTokens,
      ...(row.cut && { cut: row.cut }),
    };
  }

  #addOne(row: CountedRow, split: Split): void {
    const { profile, model, member, repairs, measures } = row.trajectory;
    if (measures?.grounding) this.#grounding = withGrounding(this.#grounding, measures.grounding);
    if (repairs !== undefined) this.#secondTries++;
    this.#all.add(row);
    this.#splits[split]++;
    this.#profiles.add(profile);
    if (model !== undefined) this.#models.add(model);
    if (member) this.#members.add(member.name);
    this.#sums.cut_rows += row.cut ? 1 : 0;
    this.#addTexts(row);
  }

  /** Counts a row of `dataset.mix`. */
  addMixed(row: Omit<CountedRow, 'trajectory' | 'cut'>, split: Split): void {
    this.#all.add(row);
    this.#splits[split]++;
    this.#addTexts(row);
  }

  #addTexts(row: Pick<CountedRow, 'escapedTokens' | 'repairedTexts' | 'bordersInTokens'>): void {
    this.#sums.disarmed_tokens += row.escapedTokens;
    this.#sums.repaired_texts += row.repairedTexts;
    this.#sums.boundary_tokens += row.bordersInTokens;
  }

  get counted() {
    const { rows, tokens, trained_tokens } = this.#all;
    return {
      rows,
      tokens,
      trained_tokens,
      ...(this.#hasSiblings && { tasks: this.#tasks.size }),
      ...(this.#secondTries > 0 && { second_tries: this.#secondTries }),
      profiles: byName(this.#profiles),
      ...(this.#models.size > 0 && { models: byName(this.#models) }),
      ...(this.#members.size > 0 && { members: byName(this.#members) }),
      ...(Object.keys(this.#tasksByTests).length > 0 && { tasks_by_tests: this.#tasksByTests }),
      ...(this.#grounding && { grounding: this.#grounding }),
      splits: { ...this.#splits },
      ...this.#sums,
    } satisfies Partial<Manifest>;
  }
}

/** Running sums over the pairs of a dataset. */
export class PairCounts {
  readonly #splits: Record<Split, number> = { train: 0, validation: 0 };
  readonly #left = { too_long: 0, unusable: 0 };
  #tasks = 0;
  /** Pairs of a task are adjacent. */
  #lastTask: string | undefined;

  add(taskId: string, split: Split): void {
    this.#splits[split]++;
    if (taskId !== this.#lastTask) this.#tasks++;
    this.#lastTask = taskId;
  }

  /** Counts a rejected pair. */
  leaveOut(why: 'too_long' | 'unusable'): void {
    this.#left[why]++;
  }

  get counted(): PreferenceCounts {
    const { train, validation } = this.#splits;
    return { pairs: train + validation, tasks: this.#tasks, splits: { ...this.#splits }, ...this.#left };
  }
}

/** Number of tests that judged a trajectory's program; undefined without tests. */
function testsPassed({ verdicts }: Quality): number | undefined {
  const tested = verdicts.find(({ subject, judge }) => subject === 'answer' && judge === 'tests');
  const tests = tested?.evidence.tests;
  return typeof tests === 'number' ? tests : undefined;
}

/** Bytes of the hash used as a number, the maximum that a double holds exactly. */
const hashBytes = 6;

/**
 * Split of a task's rows and of all equal or similar tasks: `clusterId` is the id of one of them. The id maps to a
 * fixed number in [0, 1), so a larger share only moves tasks into the validation split, and a validation task of one
 * dataset is in no training split with the same share.
 */
export function splitOf(clusterId: string, validationShare: number): Split {
  const hash = createHash('sha256').update(`validation\n${clusterId}`).digest();
  return hash.readUIntBE(0, hashBytes) / 256 ** hashBytes < validationShare ? 'validation' : 'train';
}
