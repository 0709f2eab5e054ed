import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareTasks } from '../../evaluation/compareEvaluations.ts';
import { scoreBenchmark } from '../../evaluation/playBenchmark.ts';
import type { SampleResult, TaskResult } from '../../evaluation/records/sampleResult.ts';
import { scoreTasks } from '../../evaluation/scoreTasks.ts';
import { seededRandom } from '../support/seededRandom.ts';

type Result = SampleResult['result'];

function sampleOf(result: Result, more: Partial<SampleResult> = {}): SampleResult {
  return {
    task_id: 'task',
    sample: 0,
    result,
    reason: result === 'unscored' ? 'endpoint_error' : null,
    score: result === 'unscored' ? null : Number(result === 'right'),
    answer: result === 'unscored' ? null : result,
    use: { completion_tokens: 100, prompt_tokens: 300, model_calls: 3, tool_calls: 2, cost_usd: 0.01 },
    double_check: null,
    reflections: 0,
    repeated_tool_inputs: 0,
    ...more,
  };
}

function taskOf(name: string, results: readonly Result[], more: Partial<TaskResult> = {}): TaskResult {
  const samples = results.map((result, sample) => sampleOf(result, { task_id: name, sample }));
  return { task_id: name, question: name, answers: [''], samples, ...more };
}

const results = fc.array(fc.constantFrom<Result>('right', 'wrong', 'unscored'), {
  minLength: 3,
  maxLength: 3,
});
const manyTasks = fc
  .array(results, { minLength: 1, maxLength: 20 })
  .map((all) => all.map((of, at) => taskOf(`t${at}`, of)));
const options = { ks: [1, 3] };
const facts = {
  name: 'atlas',
  run: 'atlas',
  config_hash: 'x',
  samples_per_task: 3,
  left_out: {},
  grammar: { kept: 0, broken: 0 },
  incidents: {},
  use_by_role: {},
};

describe('scores of tasks', () => {
  test('every sample is in exactly one count, and every reason is counted', () => {
    fc.assert(
      fc.property(manyTasks, (tasks) => {
        const { samples, reasons } = scoreTasks(tasks, options);
        expect(samples.right + samples.wrong + samples.unscored).toBe(3 * tasks.length);
        expect(reasons.endpoint_error ?? 0).toBe(samples.unscored);
      }),
    );
  });

  test('the score lies within the bounds, and is theirs where all is scored', () => {
    fc.assert(
      fc.property(manyTasks, (tasks) => {
        const { score, bounds, samples } = scoreTasks(tasks, options);
        expect(bounds.low).toBeLessThanOrEqual(bounds.high + 1e-12);
        if (samples.unscored > 0) return;
        expect(score?.value).toBeCloseTo(bounds.low, 10);
        expect(score?.value).toBeCloseTo(bounds.high, 10);
      }),
    );
  });

  test('an unscored sample changes no score: it is neither wrong nor right', () => {
    fc.assert(
      fc.property(manyTasks, (tasks) => {
        const withMore = tasks.map((task) => ({
          ...task,
          samples: [...task.samples, sampleOf('unscored', { task_id: task.task_id, sample: 3 })],
        }));
        const [before, after] = [scoreTasks(tasks, options), scoreTasks(withMore, options)];
        expect(after.score).toEqual(before.score);
        expect(after.pass_at).toEqual(before.pass_at);
      }),
    );
  });

  test('pass@1 is the score, pass@k does not fall with k, pass^k does not rise', () => {
    fc.assert(
      fc.property(manyTasks, (tasks) => {
        const whole = tasks.filter(({ samples }) => samples.every(({ result }) => result !== 'unscored'));
        const { score, pass_at, pass_power } = scoreTasks(whole, { ks: [1, 2, 3] });
        if (whole.length === 0) return;
        expect(pass_at[1]?.value).toBeCloseTo(score!.value, 12);
        expect(pass_at[3]!.value).toBeGreaterThanOrEqual(pass_at[2]!.value - 1e-12);
        expect(pass_power[3]!.value).toBeLessThanOrEqual(pass_power[2]!.value + 1e-12);
      }),
    );
  });

  test('pass@k leaves out tasks with fewer scored samples than k', () => {
    const tasks = [taskOf('a', ['right', 'unscored', 'unscored']), taskOf('b', ['wrong', 'wrong', 'wrong'])];
    const { pass_at } = scoreTasks(tasks, options);
    expect(pass_at[1]?.value).toBe(0.5);
    expect(pass_at[3]?.value).toBe(0);
  });

  test('the majority is by answers as people read them, and silence votes for none', () => {
    const answers = (...of: [Result, string | null][]) => ({
      ...taskOf('a', []),
      samples: of.map(([result, answer], sample) => sampleOf(result, { sample, answer })),
    });
    const majority = (task: TaskResult) => scoreTasks([task], options).majority?.value;
    expect(majority(answers(['right', 'Port  Hale'], ['right', 'port hale'], ['wrong', 'Selk']))).toBe(1);
    expect(majority(answers(['right', 'Hale'], ['wrong', 'Selk'], ['wrong', 'Selk']))).toBe(0);
    expect(majority(answers(['right', 'Hale'], ['wrong', null], ['wrong', null]))).toBe(1);
  });

  test('failures are paid for: tokens a right sample count those of wrong ones too', () => {
    const tasks = [taskOf('a', ['right', 'wrong', 'unscored']), taskOf('b', ['wrong', 'wrong', 'wrong'])];
    expect(scoreTasks(tasks, options).completion_tokens_per_right?.value).toBe(600);
    expect(scoreTasks([tasks[1]!], options).completion_tokens_per_right).toBeNull();
  });

  test('no tasks give no figures, and no error', () => {
    const { score, bounds, majority } = scoreTasks([], options);
    expect([score, majority]).toEqual([null, null]);
    expect(bounds).toEqual({ low: 0, high: 0 });
  });
});

describe('a benchmark', () => {
  test('has no result above the share of unscored samples that is allowed', () => {
    const tasks = [taskOf('a', ['right', 'right', 'unscored'])];
    const with_ = (maxUnscored: number) => scoreBenchmark(facts, tasks, { ...options, maxUnscored });
    expect(with_(0.3).too_many_unscored).toBe(true);
    expect(with_(0.34).too_many_unscored).toBe(false);
    expect(scoreBenchmark(facts, [], { ...options, maxUnscored: 1 }).too_many_unscored).toBe(true);
  });

  test('groups and tasks that were seen in training add up to all', () => {
    fc.assert(
      fc.property(manyTasks, fc.nat(2), (tasks, shift) => {
        const marked = tasks.map((task, at) => ({
          ...task,
          group: `level ${(at + shift) % 3}`,
          seen_in_training: at % 2 === 0,
        }));
        const { all, groups, contamination } = scoreBenchmark(facts, marked, { ...options, maxUnscored: 1 });
        const sum = (of: readonly { tasks: number }[]) => of.reduce((total, one) => total + one.tasks, 0);
        expect(sum(Object.values(groups))).toBe(all.tasks);
        expect(sum([contamination!.seen, contamination!.unseen])).toBe(all.tasks);
      }),
    );
  });

  test('shows whether a double check was right to be sure', () => {
    const samples = [
      sampleOf('right', { double_check: 4 }),
      sampleOf('wrong', { double_check: 4 }),
      sampleOf('unscored', { double_check: 4 }),
      sampleOf('wrong', { double_check: 1 }),
    ];
    const result = scoreBenchmark(facts, [{ ...taskOf('a', []), samples }], { ...options, maxUnscored: 1 });
    expect(result.double_check).toEqual([
      { score: 1, samples: 1, right: 0 },
      { score: 4, samples: 2, right: 1 },
    ]);
  });
});

describe('two players', () => {
  test('are compared on the tasks that both have scored samples of', () => {
    const a = [taskOf('x', ['right']), taskOf('y', ['unscored']), taskOf('z', ['wrong'])];
    const b = [
      taskOf('z', ['wrong']),
      taskOf('x', ['wrong']),
      taskOf('y', ['right']),
      taskOf('w', ['right']),
    ];
    const found = compareTasks('atlas', a, b);
    expect(found).toMatchObject({ tasks: 2, left_out: 2, wins: 1, ties: 1, losses: 0 });
    expect(found.difference?.value).toBe(0.5);
    expect(found.p).toBe(1);
  });

  test('a truth of known rates lies in the intervals of 200 tasks x 4', () => {
    const random = seededRandom(5);
    const play = (rate: number) =>
      Array.from({ length: 200 }, (_, at) =>
        taskOf(
          `t${at}`,
          Array.from({ length: 4 }, (): Result => (random() < rate ? 'right' : 'wrong')),
        ),
      );
    let held = 0;
    for (let round = 0; round < 100; round++) {
      const found = compareTasks('atlas', play(0.6), play(0.5));
      if (found.difference!.low! <= 0.1 && 0.1 <= found.difference!.high!) held++;
    }
    expect(held).toBeGreaterThanOrEqual(89);
  });
});
