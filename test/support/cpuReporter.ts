import type { Reporter, TestModule } from 'vitest/node';

/** More of the processor than a file of `make test` may take. A slow or shared processor may double a file's time. */
const MAX_QUICK_CPU_SECONDS = 40;
const SHOWN = 10;

/** Says which files took most of the processor, and fails the run when one of them should be named `*.long.test.ts`. */
export default class CpuReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({
        name: module.relativeModuleId,
        project: module.project.name,
        seconds: module.meta().cpuSeconds ?? 0,
      }))
      .sort((one, other) => other.seconds - one.seconds);
    const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
    print(`CPU time: ${total.toFixed(0)} s in ${files.length} files, most of it in`);
    for (const { name, seconds } of files.slice(0, SHOWN))
      print(`  ${seconds.toFixed(1).padStart(6)} s ${name}`);
    const slow = files.filter(
      ({ project, seconds }) => project === 'quick' && seconds > MAX_QUICK_CPU_SECONDS,
    );
    for (const { name } of slow) {
      print(`${name} takes more than ${MAX_QUICK_CPU_SECONDS} s of CPU: split it, or name it *.long.test.ts`);
      process.exitCode = 1;
    }
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
