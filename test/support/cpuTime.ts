/** Notes in each test file's report what it took of the processor; see `cpuReporter.ts`. */
import { afterAll } from 'vitest';
import { warmCpuSeconds } from '../cli/support/warmCli.ts';
import { loadedCpuSeconds } from '../trainers/support/loadedPython.ts';
import { cpuSeconds } from './cpuSeconds.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of the file, its child processes included. */
    cpuSeconds?: number;
  }
}

const taken = () => cpuSeconds() + warmCpuSeconds() + loadedCpuSeconds();
const before = taken();

// biome-ignore lint/correctness/noEmptyPattern: Vitest demands a pattern in the first place
afterAll(({}, file) => {
  file.meta.cpuSeconds = taken() - before;
});
