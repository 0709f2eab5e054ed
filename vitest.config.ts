import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { filesLeftOut } from './test/support/missingPrograms.ts';
import { hasReleasedData } from './test/support/releasedData.ts';
import { SlowFilesFirst } from './test/support/slowFilesFirst.ts';

/** Cache folder of the tests: other versions of the program overwrite files in the user's. */
const env = { XDG_CACHE_HOME: fileURLToPath(new URL('test-results/cache', import.meta.url)) };

/** Needs programs that this machine lacks. */
const leftOut = filesLeftOut();

const project = (name: string, test: object) => ({ extends: true as const, test: { name, ...test } });

/** A trainer takes its time to start. */
const ofTrainers = { testTimeout: 600_000, hookTimeout: 600_000 };
/** What starts a cluster of Ray or Slurm, or kills a job at moments of its own. */
const jobs = ['test/trainers/{jobs,jobsRl,jobsVerl,launchersRay,launchersSlurm,rayMachines}.test.ts'];

/** `make test` runs the project quick; `make test-all` runs all. A file's name says where it belongs. */
export default defineConfig({
  test: {
    projects: [
      project('quick', {
        env,
        include: ['test/**/*.test.ts'],
        exclude: ['test/**/*.long.test.ts', 'test/{trainers,released}/**', ...leftOut],
      }),
      project('long', { env, include: ['test/**/*.long.test.ts'] }),
      // Part of the run only where AFM's released task files exist; COA_RELEASED_DATA names their folder.
      ...(hasReleasedData() ? [project('released', { env, include: ['test/released/*.test.ts'] })] : []),
      // They need the Python environments of `make trainers`.
      project('trainers', {
        ...ofTrainers,
        include: ['test/trainers/**/*.test.ts'],
        exclude: jobs,
        maxWorkers: 2,
        sequence: { groupOrder: 1 },
      }),
      // One file at a time: a cluster beside other work once lost a job.
      project('jobs', { ...ofTrainers, include: jobs, maxWorkers: 1, sequence: { groupOrder: 2 } }),
    ],
    // Tests wait half of their time for processes and disks: three workers leave a third of two cores idle.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    sequence: { sequencer: SlowFilesFirst },
    // Only a hang takes so long: on a loaded machine a process that takes 2 s may take 40.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for comes: on a loaded machine late.
    expect: { poll: { timeout: 120_000 } },
    setupFiles: ['./capabilities.ts', 'test/support/compiledCode.ts', 'test/support/propertySeed.ts'],
    reporters: ['default', 'json'],
    // `.ci/run` counts from this file.
    outputFile: { json: 'test-results/report.json' },
    // A worker keeps its modules from file to file: loading them again took a quarter of the CPU time.
    isolate: false,
    // A `.only` left behind would hide the other tests.
    allowOnly: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
