import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { startRlServer } from './support/rlServer.ts';
import { rlPrograms } from './support/rlVerl.ts';
import { pythonScript, runPython } from './support/runPython.ts';

test('the loop asks once for all, asks again where that may help, and fails with a cause where not', async () => {
  const output = await runPython({
    environment: 'trainers',
    args: [pythonScript('ask_environment.py')],
    folder: sharedFolder(),
    env: { PYTHONPATH: rlPrograms },
  });
  const whole = '1.0 <s>a</s>found <answer>x</answer>';
  expect(JSON.parse(output)).toEqual({
    together: { described: 1, results: [whole] },
    cut: whole,
    cut_always: 'tool unreachable',
    latin: whole,
    list: 'tool bad_answer',
    other_kind: 'environment bad_answer',
    restarted: whole,
    dead: { results: ['environment unreachable'], quick: true },
    ...Object.fromEntries(
      ['twice', 'later', 'shifted', 'lost'].map((fault) => [fault, { right: true, moved: 0 }]),
    ),
    noted: [1, 'the first: tool (down): first', 'the first: unscored (judge): second'],
  });
});

test('a job’s machine ends where the server allows another number of generations', async () => {
  const server = await startRlServer({ max_steps: 8 });
  onTestFinished(() => server.close());
  const check = (generations: number) =>
    runPython({
      environment: 'trainers',
      args: [join(rlPrograms, 'coa_check.py'), `${generations}`],
      folder: sharedFolder(),
      env: { COA_RL_URL: server.url, COA_RL_TOKEN: server.token },
    });
  expect(await check(8)).toContain('serves 8 tasks');
  await expect(check(25)).rejects.toThrow(/8 generations, .*limit is 25/);
});
