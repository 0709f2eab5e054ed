import { expect, test } from 'vitest';
import type { ChatModel } from '../../contract/chatModel.ts';
import { RecordFailure, RunHalted } from '../../contract/errors.ts';
import { judgeConfigSchema } from '../../schemas/config/judge.ts';
import { probeConfigSchema } from '../../schemas/config/probe.ts';
import type { Task } from '../../schemas/task.ts';
import { createProbeStage } from '../../stages/judge/createProbeStage.ts';

const maths: Task = {
  id: 'task_1',
  question: 'What is 6 x 7?',
  answers: ['42'],
  domain: 'math',
  profile: 'math',
  source: { file: 't.jsonl', row: 1 },
};

/** What becomes of a task whose tries end so: words, or an error. */
async function probed(says: readonly (string | Error)[], task = maths, limits: object = {}) {
  const roles: (string | undefined)[] = [];
  const seeds: (number | undefined)[] = [];
  const chat = {
    chat: async (request, _signal, scope) => {
      roles.push(scope?.role);
      seeds.push(request.sampling.seed);
      const said = says[scope!.work.rollout!]!;
      if (said instanceof Error) throw said;
      return { content: said };
    },
  } as ChatModel;
  const stage = createProbeStage({
    probe: probeConfigSchema.parse({ model: { model: 'm' }, tries: says.length, ...limits }),
    config: judgeConfigSchema.parse({}),
    sandbox: undefined,
    testStore: undefined,
    openModel: async () => ({ chat, sampling: { seed: 5 } }),
    openJudgeModel: undefined,
    knownOf: async () => undefined,
    concurrency: 1,
    finish: async () => {},
  });
  const ended = await stage
    .run(task, { signal: new AbortController().signal })
    .catch((error: unknown) => (error instanceof RecordFailure ? error.failure.cause : error));
  return { ended, roles, seeds };
}

test('answers are found with tags, in a box without, and a try without one is wrong', async () => {
  const says = [
    'so <answer>\\boxed{42}</answer>',
    'it is \\boxed{42}',
    '<answer>41</answer>',
    'I think it is 42',
    '<answer></answer>',
    new RecordFailure('answer_truncated', 'cut'),
  ];
  const { ended, roles, seeds } = await probed(says);
  expect(ended).toMatchObject({
    records: [{ id: 'task_1', probe: { passed: 2, samples: 6, unscored: 0, without_answer: 3 } }],
  });
  expect(new Set(roles)).toEqual(new Set(['probe']));
  expect(seeds).toEqual([5, 6, 7, 8, 9, 10]);
});

test('a try that the judge can not decide is in no rate, and a task of such tries fails', async () => {
  // The rule can't read the right answer.
  const odd = { ...maths, answers: ['\\int_0^1 f(x) dx'] };
  const undecidedOf = await probed(['<answer>7</answer>'], odd);
  expect(undecidedOf.ended).toBe('unscored');
  const mixed = await probed(['<answer>7</answer>', 'no idea'], odd);
  expect(mixed.ended).toMatchObject({ records: [{ probe: { passed: 0, samples: 1, unscored: 1 } }] });
});

test('the range decides with evidence; bounds belong to it', async () => {
  const says = ['<answer>42</answer>', '<answer>1</answer>'];
  expect((await probed(says, maths, { pass_rate: { max: 0.5, min: 0.5 } })).ended).toMatchObject({
    kind: 'emit',
  });
  expect((await probed(says, maths, { pass_rate: { max: 0.4 } })).ended).toMatchObject({
    ...{ kind: 'drop', reason: 'too_easy' },
    evidence: { passed: 1, samples: 2, pass_rate: 0.5, max_pass_rate: 0.4, low: expect.closeTo(0.095, 3) },
  });
  expect((await probed(says, maths, { pass_rate: { min: 0.6 } })).ended).toMatchObject({
    reason: 'too_hard',
  });
});

test('what says nothing of a try fails the task, and a run that stops leaves it pending', async () => {
  const away = new RecordFailure('endpoint_error', 'away');
  expect((await probed(['<answer>42</answer>', away])).ended).toBe('endpoint_error');
  const halted = new RunHalted('stop');
  expect((await probed([away, halted])).ended).toBe(halted);
  const program = { ...maths, domain: 'code' as const, answers: [] };
  expect((await probed(['```python\nprint(1)\n```'], { ...program, tests: undefined })).ended).toBe(
    'unscored',
  );
  const tests = { kind: 'stdin' as const, cases: [{ stdin: '', expected_output: '1' }] };
  expect((await probed(['```python\nprint(1)\n```'], { ...program, tests })).ended).toBe(
    'sandbox_unavailable',
  );
});
