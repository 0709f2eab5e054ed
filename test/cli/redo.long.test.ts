import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/waitUntil.ts';
import { changedProgram } from './support/changedProgram.ts';
import { linesOf } from './support/linesOf.ts';
import { createProject } from './support/project.ts';
import { finished, runCli, runRefused, runWell, startCli } from './support/runCli.ts';
import { startSampleTeacher } from './support/startSampleTeacher.ts';

test('another prompt of the planner asks the planner again, and of the others only what depends on its plans', async () => {
  const { baseUrl, asked } = await startSampleTeacher(0);
  const cwd = createProject({
    teacher: `{ model: { model: m, endpoint: { base_url: "${baseUrl}", api_key_env: "" } }, turns: apart }`,
  });
  await runWell(['run', '--until', 'judge'], { cwd });
  const [before, plans] = [asked(), asked('"role":"planner"')];
  expect(before).toBeGreaterThan(4 * plans);
  const next = changedProgram([
    {
      file: 'teachers/multiAgent/answerForms.ts',
      from: 'Write the plan.',
      to: 'Write the plan in the smallest steps.',
    },
    { file: 'stages/createRolloutStage.ts', from: 'version: 4,', to: 'version: 5,' },
  ]);
  await runRefused(['run', '--until', 'judge'], { cwd, launcher: next }, 'resume with --yes');
  expect(asked()).toBe(before);
  const redone = await runCli(['run', '--until', 'judge', '--yes'], { cwd, launcher: next });
  expect([redone.code, redone.stderr]).toEqual([
    0,
    expect.stringMatching(/^rollout +stale: version 4, now 5$/m),
  ]);
  // This teacher plans as before, so nobody else is asked anything new.
  expect(asked('"role":"planner"')).toBe(2 * plans);
  expect(asked()).toBe(before + plans);
});

test('the first Ctrl-C lets the calls in flight end, so that none is asked again', async () => {
  const { baseUrl, asked } = await startSampleTeacher(20);
  const teacher = `{ model: { model: m, endpoint: { base_url: "${baseUrl}", api_key_env: "" } }, concurrency: 4 }`;
  const cwd = createProject({ teacher });
  const child = startCli(['run', '--until', 'rollout'], { cwd });
  const ended = finished(child);
  await waitUntil('20 calls', () => asked() >= 20, { everyMs: 5, child });
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([130, expect.stringContaining('waiting for the calls in flight')]);
  expect(linesOf(join(cwd, 'runs/coa/rollout/ledger.jsonl'))).toBe(0);
  await runWell(['run', '--until', 'rollout'], { cwd });
  const interrupted = asked();
  await runWell(['run', '--until', 'rollout', '--name', 'whole'], { cwd });
  expect(asked() - interrupted).toBe(interrupted);
});
