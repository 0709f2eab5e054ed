import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { startBoundProcess } from '../../../base/processes/boundProcess.ts';
import { findProcesses } from '../../../base/processes/findProcesses.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import { waitUntil } from '../../support/waitUntil.ts';

const folder = sharedFolder();
const found = () => findProcesses('COA_BOUND_TEST', folder);

/** Starts a shell script, which may be over before anybody looks. */
const startScript = (script: string) =>
  startBoundProcess(['/bin/sh', '-c', script], {
    cwd: folder,
    env: { ...process.env, COA_BOUND_TEST: folder },
    logFile: path.join(folder, 'program.log'),
  });

// The watcher sleeps between two looks at the program: it must not be there any more when the program ends meanwhile.
test.each([0, 20, 50, 80, 120])(
  'nothing is left of a program that takes %i ms to end',
  async (milliseconds) => {
    const ready = `ready-${milliseconds}`;
    const program = await startScript(
      `trap 'sleep ${milliseconds / 1_000}; exit 3' TERM; : >${ready}; while :; do sleep 0.01; done`,
    );
    await waitUntil('the program', () => existsSync(path.join(folder, ready)), { everyMs: 5 });
    expect(found()).not.toEqual([]);
    await program.stop();
    expect(found()).toEqual([]);
    await program.stop();
  },
);

test('what a program left behind is ended with it, also where it ended by itself', async () => {
  const program = await startScript('sleep 1000 & exit 7');
  expect(await program.ended).toBe(7);
  await program.stop();
  // The watcher is gone; a process that it does not know dies as soon as it gets a core.
  await vi.waitFor(() => expect(found()).toEqual([]), { timeout: 120_000 });
});
