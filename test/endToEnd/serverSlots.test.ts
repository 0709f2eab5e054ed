import { expect, onTestFinished, test } from 'vitest';
import { createProject, sampleTasks } from '../cli/support/project.ts';
import { runWell } from '../cli/support/runCli.ts';
import { startSampleTeacher } from '../cli/support/startSampleTeacher.ts';
import { startSlotServer } from './support/startSlotServer.ts';

const taskOf = (prompt: string) => sampleTasks.find(({ question }) => prompt.includes(question))?.id ?? '';

/** Runs the sample tasks at a server with two slots. */
async function runAtSlots(server: { readonly tells: boolean }, teacher = '', endpoint = '') {
  const upstream = (await startSampleTeacher(0)).baseUrl;
  const { baseUrl, seen, interleaved, close } = await startSlotServer({
    upstream,
    slots: 2,
    taskOf,
    ...server,
  });
  onTestFinished(close);
  const cwd = createProject({
    teacher: `{ backend: openai, model: { model: scripted-teacher, endpoint: { base_url: "${baseUrl}", api_key_env: "" ${endpoint} } } ${teacher} }`,
  });
  const { stderr } = await runWell(['run'], { cwd });
  return { ...seen, interleaved: interleaved(), stderr };
}

test('a task keeps its slot of a llama-server, and no request waits inside of it', async () => {
  const untold = await runAtSlots({ tells: false });
  expect(untold.propsAsked).toBe(1);
  expect(untold.mostWaiting).toBeGreaterThan(2);
  const told = await runAtSlots({ tells: true });
  expect(told).toMatchObject({ propsAsked: 1, waited: 0, interleaved: 0, requests: untold.requests });
  expect(untold.interleaved).toBeGreaterThan(0);
  expect(told.uncached).toBeLessThan(0.6 * untold.uncached);
});

test('slots keep roles where each begins its conversations in its own way', async () => {
  const told = await runAtSlots({ tells: true }, ', layout: per_role, turns: apart');
  expect(told.waited).toBe(0);
  expect(told.interleaved).toBeGreaterThan(0);
});

test('what is configured wins, and the user is told where the server has fewer slots', async () => {
  const fewer = await runAtSlots({ tells: true }, '', ', concurrency: 1');
  expect(fewer).toMatchObject({ interleaved: 0, waited: 0 });
  expect(fewer.stderr).not.toContain('slots');
  const tasks = await runAtSlots({ tells: true }, ', concurrency: 4');
  expect(tasks.stderr).toMatch(/teacher\.concurrency is 4, and the servers have 2 slots/);
  expect(tasks.waited).toBe(0);
  const requests = await runAtSlots({ tells: true }, ', concurrency: 4', ', concurrency: 4');
  expect(requests.stderr).toMatch(/2 slots and endpoint\.concurrency is 4/);
  expect(requests.mostWaiting).toBe(2);
});
