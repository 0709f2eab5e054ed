import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../contract/sandbox.ts';
import type { Task, TaskTests } from '../../../schemas/task.ts';
import { judgeProgram } from '../../../stages/judge/judgeAnswer.ts';
import { createSandbox } from '../../../tools/sandbox/createSandbox.ts';
import { testsAtHand } from '../../support/answerKey/toolSteps.ts';
import { isFull } from '../../support/cases.ts';
import { emittedTasks, readTasks } from '../../support/readTasks.ts';
import { mutants } from './solutionMutants.ts';

/** A task with a solution written for these tests. */
interface Solved {
  readonly id: string;
  readonly tests: TaskTests;
  readonly solution: string;
}

/** Tasks of a file in LiveCodeBench's layout, and solutions of some of them. */
interface Solutions {
  readonly path: string;
  /** Folder of `<id of the task>.py`. */
  readonly folder: string;
  /** One slip in each solution: what is written, and what is written instead. */
  readonly slips: Readonly<Record<string, readonly [from: string, to: string]>>;
  /** Minimum number of solutions of programs and of functions. */
  readonly ofEachKind: number;
}

/** Solutions of each kind that `make test` judges; `make test-all` judges all. */
const FEW = 3;

const countOf = (tests: TaskTests) => (tests.kind === 'stdin' ? tests.cases : tests.checks).length;

/** Tests that solutions pass their tests, and that each slip and mutant fails by what it says. */
export function testSolutions({ path, folder, slips, ofEachKind }: Solutions): void {
  const ids = readdirSync(folder).map((file) => file.replace(/\.py$/, ''));
  const solved: Solved[] = [];
  const judged: Solved[] = [];
  let sandbox: Sandbox;

  beforeAll(async () => {
    const tasks = emittedTasks(await readTasks([{ path, preset: 'afm_livecodebench', profile: 'code' }]));
    for (const id of ids) {
      const { tests } = tasks.find(({ given_id }) => given_id === `skywork_livecodebench_v4-${id}`)!;
      solved.push({
        id,
        tests: testsAtHand({ id, tests } as Task)!,
        solution: readFileSync(join(folder, `${id}.py`), 'utf8'),
      });
    }
    for (const kind of ['stdin', 'functional'] as const) {
      const all = solved.filter(({ tests }) => tests.kind === kind);
      judged.push(...(isFull ? all : all.slice(0, FEW)));
    }
    sandbox = await createSandbox(
      {
        backend: 'bubblewrap',
        allow_unsafe: false,
        timeout_s: 30,
        memory_mb: 512,
        max_output_chars: 512,
        concurrency: 2,
      },
      () => {},
    );
  });
  afterAll(() => sandbox.close());

  const judge = (program: string, tests: TaskTests, timeoutMs = 30_000) =>
    judgeProgram(program, tests, {
      sandbox,
      timeoutMs,
      outputTolerance: 1e-6,
      signal: new AbortController().signal,
    });

  describe('solutions', () => {
    test('of both kinds are enough', () => {
      for (const kind of ['stdin', 'functional'])
        expect(solved.filter(({ tests }) => tests.kind === kind).length).toBeGreaterThanOrEqual(ofEachKind);
      expect(Object.keys(slips).sort()).toEqual([...ids].sort());
    });

    test('every solution passes all its tests', async () => {
      const found = await Promise.all(
        judged.map(async ({ id, tests, solution }) => [id, await judge(solution, tests)]),
      );
      const all = judged.map(({ id, tests }) => [id, { passed: countOf(tests), tests: countOf(tests) }]);
      expect(found).toEqual(all);
    });

    test('every solution with one slip fails by what it says', async () => {
      await Promise.all(
        judged.map(async ({ id, tests, solution }) => {
          const [from, to] = slips[id]!;
          expect(solution.split(from), `${id} holds ${from} once`).toHaveLength(2);
          const { failed, flaky } = await judge(solution.replace(from, to), tests);
          expect(failed, id).toBeDefined();
          const asserted = /^exit status 1: AssertionError: Expected .*, but got /;
          expect(failed!.got, id).toMatch(
            tests.kind === 'stdin' ? /^(?!exit status|no end|too much)/ : asserted,
          );
          expect(flaky, id).toBeUndefined();
        }),
      );
    });

    test.each(mutants)('a solution $title is refused for that', async (mutant) => {
      const few = [
        solved.find(({ tests }) => tests.kind === 'stdin')!,
        solved.find(({ tests }) => tests.kind === 'functional')!,
      ];
      let tried = 0;
      await Promise.all(
        (mutant.isCostly ? few : judged).map(async ({ id, tests, solution }) => {
          const program = mutant.spoil(solution, tests);
          if (program === undefined) return;
          tried += 1;
          const isSlow = mutant.title.startsWith('slow');
          const test = mutant.failing?.(tests) ?? 0;
          const { failed, passed } = await judge(program, tests, isSlow ? 700 : 30_000);
          expect([id, passed, failed?.test]).toEqual([id, test, test]);
          expect(failed!.got, id).toMatch(mutant.got(tests));
          expect(failed!.reruns, id).toBe(isSlow ? 1 : undefined);
        }),
      );
      expect(tried).toBeGreaterThanOrEqual(mutant.isCostly || !isFull ? 2 : ofEachKind);
    });
  });
}
