import type { Reporter, TestModule } from 'vitest/node';

/** More of the processor than a file of `make test` may take. A slow or shared processor may double a file's time. */
const MAX_QUICK_CPU_SECONDS = 40;
const SHOWN = 10;

/** Says which files took most of the processor, and which are too long for `make test`. Nothing fails by the clock. */
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
    // With all their cases files of the project quick take longer.
    if (process.env.COA_TESTS === 'all') return;
    for (const { name, project, seconds } of files) {
      if (project === 'quick' && seconds > MAX_QUICK_CPU_SECONDS)
        print(
          `${name} takes more than ${MAX_QUICK_CPU_SECONDS} s of CPU: split it, or name it *.long.test.ts`,
        );
    }
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
