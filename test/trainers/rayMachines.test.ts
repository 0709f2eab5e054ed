import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processIdentity } from '../../base/processes/processIdentity.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { plannedJob } from '../training/support/plannedJob.ts';
import { pythonScript, runPython } from './support/runPython.ts';

const shared = sharedFolder();

/** Runs a script on two nodes of a Ray cluster by the program of a rendered job. */
async function runOnTwo(runScript: string, ...stopWhen: string[]) {
  const folder = mkdtempSync(join(shared, 'job-'));
  mkdirSync(join(folder, 'started'));
  const { file } = plannedJob({ launcher: 'ray', nodes: 2, gpus_per_node: 0 });
  writeFileSync(join(folder, 'ray-machines.py'), file('ray-machines.py'));
  writeFileSync(join(folder, 'run.sh'), runScript);
  const output = await runPython({
    environment: 'trainers',
    args: [pythonScript('ray_cluster.py'), 'ray-machines.py 2 0', ...stopWhen],
    folder,
    // Ray's sockets have to have short paths.
    env: { TMPDIR: '/tmp', CONSOLE_FILE: 'console.log' },
  });
  const { code } = JSON.parse(/^\{"code".*$/m.exec(output)![0]) as { code: number };
  return { code, output, folder };
}

test('every machine runs run.sh, and is told where to meet', async () => {
  const { code, output } = await runOnTwo('echo "machine $RDZV_ENDPOINT $RDZV_ID $CONSOLE_FILE"');
  expect(code).toBe(0);
  const told = [...output.matchAll(/machine (\S+:\d+ \w+ console\.log)/g)].map((match) => match[1]);
  expect(told).toHaveLength(2);
  expect(new Set(told).size).toBe(1);
});

/** The first machine to come waits for ever, the other one does something else. */
const firstWaits = (otherwise: string) => `
if mkdir started/first 2> /dev/null; then echo $$ > pid; exec sleep 3600; fi
until [[ -s pid ]]; do sleep 0.1; done
${otherwise}`;

test.each([
  ['fails', firstWaits('exit 3'), [], 3],
  ['is stopped', firstWaits('touch both; exec sleep 3600'), ['both'], 1],
])('when one %s, no process is left on the other', async (_, script, stopWhen, expected) => {
  const { code, folder } = await runOnTwo(script, ...stopWhen);
  expect(code).toBe(expected);
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  // A process that was killed is gone as soon as it gets a core.
  await expect.poll(() => processIdentity(pid)).toBeNull();
});

test('when one is gone, the other has time to end by itself', async () => {
  const { code, folder } = await runOnTwo(`
if mkdir started/first 2> /dev/null; then
  trap 'sleep 4; touch saved; exit' TERM
  touch ready
  sleep 3600 & wait
fi
until [[ -e ready ]]; do sleep 0.1; done
kill -KILL $PPID`);
  expect(code).toBe(1);
  expect(existsSync(join(folder, 'saved'))).toBe(true);
});
