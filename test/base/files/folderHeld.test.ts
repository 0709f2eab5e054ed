import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { isFolderHeld } from '../../../base/files/lockFolder.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import { cases } from '../../support/cases.ts';

/** Makes and removes the lock's file until it is told to end, as processes do that take a folder for an instant. */
const comingAndGoing = `
const { parentPort, workerData } = require('node:worker_threads');
const { rmSync, writeFileSync } = require('node:fs');
const over = new Int32Array(workerData.over);
parentPort.postMessage('ready');
while (Atomics.load(over, 0) === 0) {
  writeFileSync(workerData.path, '');
  rmSync(workerData.path);
}
`;

test('a folder whose lock comes and goes while it is looked at is held or not, and nothing is thrown', async () => {
  const folder = sharedFolder();
  const over = new SharedArrayBuffer(4);
  const worker = new Worker(comingAndGoing, {
    eval: true,
    workerData: { over, path: `${folder}/lock` },
  });
  await once(worker, 'message');
  try {
    for (let look = 0; look < cases(20_000); look++) {
      expect(await isFolderHeld(folder)).toBeTypeOf('boolean');
      await nextTurn();
    }
  } finally {
    Atomics.store(new Int32Array(over), 0, 1);
    await once(worker, 'exit');
  }
});
