import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { builtinProfile, builtinProfileNames } from '../../../schemas/coa/profiles/builtin.ts';
import type { Task } from '../../../schemas/task.ts';
import { startScriptedServer } from '../../../teachers/scripted/startScriptedServer.ts';
import { taskOf, teamOf, traceOf } from '../../teachers/support/team.ts';
import { modelAt, neverAborted } from '../../teachers/support/tinyModel.ts';
import { closesWithTest } from '../closesWithTest.ts';
import { answerKeyEntry, answerKeyScript } from './answerKeyScript.ts';
import type { PlantedRates, RatedFlaw } from './plantedFlaws.ts';
import { failingProgram, lookUpProgram, wrongAnswer } from './playedAnswer.ts';
import { pythonText, testsAtHand } from './toolSteps.ts';

const clean = {};

function python(code: string, stdin = ''): string {
  return execFileSync('python3', ['-I', '-c', code], { input: stdin, encoding: 'utf8', stdio: 'pipe' });
}

const stdinTask = taskOf('code', {
  tests: {
    kind: 'stdin',
    cases: [
      { stdin: '1 2\n3 "x" <answer>\n', expected_output: 'é ```\n🙂\\n\n' },
      { stdin: '5\n', expected_output: '8\n' },
    ],
  },
});
const checks = [
  'result = Solution().f(\'11111\', 1)\nassert result == 15, f"Expected 15, but got {repr(result)}"',
  'result = Solution().f([1, 2.5], k=None)\nassert result == [16, 8], "no"',
  'result = Solution().f(float("nan"))\nassert abs(result - 0.5) < 1e-6',
  'assert f(3) == {"a": True}',
];
const functionalTask = taskOf('code', { tests: { kind: 'functional', checks, func_name: 'f' } });
const tasks = [...builtinProfileNames.map((profile) => taskOf(profile)), stdinTask, functionalTask];

const toolInputs = (task: Task, rates: PlantedRates) =>
  answerKeyEntry(task, rates, 7).steps.flatMap((step) =>
    step.action === 'tool' ? [JSON.stringify([step.tool, step.input]).toLowerCase()] : [],
  );

async function play(task: Task, rates: PlantedRates) {
  const script = answerKeyScript([task], rates, 7);
  const { baseUrl } = closesWithTest(await startScriptedServer({ script }));
  return teamOf(modelAt(baseUrl)).solve(task, { signal: neverAborted });
}

describe('a clean solution', () => {
  test.each(tasks.map((task) => [task.profile, task] as const))(
    '%s is played to its end over HTTP',
    async (_, task) => {
      const { totals, final_answer } = traceOf(await play(task, clean));
      const profile = builtinProfile(task.profile)!;
      expect(totals.tool_calls).toBeGreaterThanOrEqual(profile.min_interactions);
      if (task.domain !== 'code') expect(final_answer).toBe(task.answers[0]);
    },
  );

  test('never repeats a tool input', () => {
    for (const task of tasks) {
      const inputs = toolInputs(task, clean);
      expect(new Set(inputs).size).toBe(inputs.length);
    }
  });

  test('writes no tags, whatever the task holds', () => {
    fc.assert(
      fc.property(fc.constantFrom(...builtinProfileNames), fc.string(), (profile, words) => {
        const task = taskOf(profile, { question: `${words}<answer>=== plan ===${words}`, answers: ['42'] });
        const said = JSON.stringify(answerKeyEntry(task, clean, 7).steps);
        expect(said).not.toContain('<answer>');
        expect(said).not.toContain('=== plan');
      }),
    );
  });
});

describe('flaws', () => {
  const only = (flaw: RatedFlaw) => ({ [flaw]: 1 });

  test('come at their rates, at most one a task, by seed and task id', () => {
    const rates = { wrong_answer: 0.3, refusal: 0.2 };
    const flawsOf = (seed: number) =>
      Array.from(
        { length: 2000 },
        (_, n) => answerKeyEntry(taskOf('mhqa', { id: `task_${n}` }), rates, seed).flaw,
      );
    const share = (flaw: string | null) => flawsOf(7).filter((one) => one === flaw).length / 2000;
    expect(share('wrong_answer')).toBeCloseTo(0.3, 1);
    expect(share('refusal')).toBeCloseTo(0.2, 1);
    expect(flawsOf(7)).toEqual(flawsOf(7));
    expect(flawsOf(8)).not.toEqual(flawsOf(7));
  });

  test.each([
    ['missing_reflection', ['web', 'mhqa', 'mhqa_double_check', 'afm']],
    ['corrected_double_check', ['web', 'mhqa_double_check', 'afm']],
    ['hanging_code', ['math', 'code']],
    ['redundant_query', [...builtinProfileNames]],
    ['near_redundant_query', [...builtinProfileNames]],
    ['secret_in_observation', ['math', 'code']],
    ['foreign_language', [...builtinProfileNames]],
    ['rambling', [...builtinProfileNames]],
    ['repeated_thought', [...builtinProfileNames]],
    ['talk_to_grader', [...builtinProfileNames]],
    ['too_few_interactions', [...builtinProfileNames]],
    ['tag_in_text', [...builtinProfileNames]],
  ] as const)('%s is planted in %j, and played to the end', async (flaw, profiles) => {
    for (const name of builtinProfileNames) {
      const task = taskOf(name);
      const planted = answerKeyEntry(task, only(flaw), 7).flaw;
      expect(planted).toBe((profiles as readonly string[]).includes(name) ? flaw : null);
      expect((await play(task, only(flaw))).kind).toBe('solved');
    }
  });

  test('a redundant query repeats an input and keeps the number of calls', () => {
    for (const task of tasks) {
      const inputs = toolInputs(task, only('redundant_query'));
      expect(inputs).toHaveLength(toolInputs(task, clean).length);
      expect(new Set(inputs).size).toBe(inputs.length - 1);
    }
  });

  test('too few interactions are one', () => {
    for (const task of tasks) expect(toolInputs(task, only('too_few_interactions'))).toHaveLength(1);
  });

  test('a low double check is corrected', () => {
    const entry = answerKeyEntry(taskOf('web'), only('corrected_double_check'), 7);
    expect(entry.steps.flatMap((step) => (step.action === 'double_check' ? [step.score] : []))).toEqual([
      2, 4,
    ]);
    expect(entry.steps.at(-2)).toMatchObject({ action: 'suggested_answer', answer: 'Ada Torrin' });
  });

  test('wrong words share none with any gold answer', () => {
    const answers = ['Quizzical umbrellas', 'the forgotten thunderstorms'];
    const gold = new Set(answers.join(' ').toLowerCase().split(' '));
    expect(
      wrongAnswer(taskOf('mhqa', { answers }))
        .split(' ')
        .some((word) => gold.has(word)),
    ).toBe(false);
  });

  test('wrong numbers are far from the gold ones', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt().map(String),
          fc.integer().map((n) => `${n}.5`),
        ),
        (gold) => {
          const wrong = Number(wrongAnswer(taskOf('math', { answers: [gold] })));
          expect(Math.abs(wrong - Number(gold))).toBeGreaterThanOrEqual(
            Math.max(1, Math.abs(Number(gold)) * 0.5),
          );
        },
      ),
    );
    expect(wrongAnswer(taskOf('math', { answers: ['\\frac{1}{2}'] }))).toBe('98765.4321');
  });

  test('a profile without solutions is the mistake of the user', () => {
    expect(() => answerKeyEntry(taskOf('chess'), clean, 7)).toThrow(UserError);
  });
});

test('what was planted names duplicates by the question without its form', () => {
  const asked = [
    taskOf('mhqa'),
    taskOf('web'),
    taskOf('mhqa', { question: 'who founded the harbour of vell,  and when' }),
  ];
  expect([...answerKeyScript(asked, clean, 7).planted()].map((record) => record.flaw)).toEqual([
    null,
    null,
    'duplicate_question',
  ]);
});

describe('programs, run by Python', () => {
  test('text literals mean the text', () => {
    const texts = fc
      .sample(fc.string({ unit: 'binary' }), { numRuns: 200, seed: 5 })
      .filter((text) => text.isWellFormed());
    const code = `import json\nprint(json.dumps([${['<a>`é\u2028\r\0', ...texts].map(pythonText).join(', ')}]))`;
    expect(JSON.parse(python(code))).toEqual(['<a>`é\u2028\r\0', ...texts]);
    expect(code).toMatch(/^[ -;=-_a-~\n]*$/);
  });

  test('inputs are looked up', () => {
    if (stdinTask.tests?.kind !== 'stdin') throw new Error('expected stdin tests');
    const { cases } = stdinTask.tests;
    for (const { stdin, expected_output } of cases) {
      expect(python(lookUpProgram(stdinTask.tests), stdin)).toBe(expected_output);
      expect(python(failingProgram(stdinTask.tests), stdin)).not.toBe(expected_output);
    }
  });

  test.each(checks)('a call is looked up: %s', (check) => {
    const good = `${lookUpProgram(testsAtHand(functionalTask)!)}\n${check}`;
    expect(python(good)).toBe('');
    expect(() => python(`${failingProgram(testsAtHand(functionalTask))}\n${check}`)).toThrow(/Error/);
  });

  test.each([
    ['math', taskOf('math')],
    ['stdin', stdinTask],
    ['functional', functionalTask],
  ] as const)('every program of a clean %s solution runs', (_, task) => {
    for (const step of answerKeyEntry(task, clean, 7).steps) {
      if (step.action === 'tool') python(String(step.input.code), String(step.input.stdin ?? ''));
    }
  });
});
