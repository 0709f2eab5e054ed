import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../cli/support/runCli.ts';
import { examplesFolder } from '../examples/support/examplesFolder.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { sharedDataPath } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** CI tries what needs the fewest programs; COA_WORKER_EXAMPLES=all tries each with 1, 2 and 4 workers. */
const isCampaign = process.env.COA_WORKER_EXAMPLES === 'all';

const all: readonly [name: string, tasks: string][] = [
  ['nq', 'nq_500.jsonl'],
  ['aime24', 'aime24.parquet'],
  ['math500', 'math500.parquet'],
  ['livecodebench', 'livecodebench_v4.parquet'],
];
const examples: readonly [name: string, tasks?: string][] = isCampaign ? [['quickstart'], ...all] : [all[0]!];
const counts = isCampaign ? [1, 2, 4] : [4];

test.each(examples)(
  '%s gives the same bytes by workers as without',
  async (name, tasks) => {
    const cwd = temporaryFolder();
    const given = tasks ? ['--tasks', sharedDataPath(tasks), '--limit', '4'] : [];
    const run = ['run', join(examplesFolder, `${name}.yaml`), ...given, '--name'];
    const dataset = (of: string) => folderHashes(join(cwd, 'runs', of, 'dataset'));
    const plain = await runCli([...run, 'plain'], { cwd });
    expect(plain.code, plain.stderr).toBe(0);
    for (const count of counts) {
      const own = await runCli([...run, `by${count}`, '--workers', String(count)], { cwd });
      expect(own.code, own.stderr).toBe(0);
      expect(dataset(`by${count}`), `${count} workers`).toEqual(dataset('plain'));
    }
  },
  900_000,
);
