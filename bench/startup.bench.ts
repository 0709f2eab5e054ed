/**
 * How long commands that read no run take to start, beside `node -e 0`, as whole processes in turn; and what loading a
 * tokenizer costs that was verified before.
 *
 * Goals: `--help` and `--version` at most 2 times `node -e 0`, the others under 150 ms, the tokenizer 0.2 s of CPU. Run
 * with `make bench`. Times by the clock are for a quiet machine; CPU time says nearly the same on a busy one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROUNDS = 20;
const MOST_TIMES = 2;
const MOST_MS = 150;
const MOST_TOKENIZER_MS = 200;
const FLOOR = 'node -e 0';

const launcher = fileURLToPath(new URL('../bin/coa-distill.js', import.meta.url));
const cwd = mkdtempSync(join(tmpdir(), 'startup-bench-'));
const msPerTick = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const asOften = ['--version', '--help'];
const others = ['run --help', 'grammar mhqa', 'complete bash'];

interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

try {
  const starts = new Map([FLOOR, ...asOften, ...others].map((name) => [name, [] as Start[]]));
  for (const name of starts.keys()) startOnce(name);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, taken] of starts) taken.push(startOnce(name));
  }
  const floor = medianOf(starts.get(FLOOR)!);
  for (const [name, taken] of starts) {
    const { wallMs, cpuMs } = medianOf(taken);
    const [times, cpuTimes] = [wallMs / floor.wallMs, cpuMs / floor.cpuMs];
    console.log(
      `${name.padEnd(15)}: ${wallMs.toFixed(0).padStart(4)} ms (${times.toFixed(2)} times ${FLOOR}), CPU ${cpuMs.toFixed(0).padStart(4)} ms (${cpuTimes.toFixed(2)})` +
        (asOften.includes(name) ? goal(`${MOST_TIMES} times`, times <= MOST_TIMES) : '') +
        (others.includes(name) ? goal(`${MOST_MS} ms`, wallMs < MOST_MS) : ''),
    );
  }
  const cpuMs = tokenizerCpuMs();
  console.log(
    `tokenizer      : CPU ${cpuMs.toFixed(0)} ms${goal(`${MOST_TOKENIZER_MS} ms`, cpuMs <= MOST_TOKENIZER_MS)}`,
  );
  console.log(`load ${loadavg()[0]!.toFixed(1)}`);
} finally {
  rmSync(cwd, { recursive: true });
}

function startOnce(name: string): Start {
  const args = name === FLOOR ? ['-e', '0'] : [launcher, ...name.split(' ')];
  const cpuBefore = childrenCpuMs();
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, { cwd, stdio: 'ignore' });
  if (status !== 0) throw new Error(`exit ${status} of ${name}`);
  return { wallMs: performance.now() - startedAt, cpuMs: childrenCpuMs() - cpuBefore };
}

/** CPU time of all ended children of this process. */
function childrenCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) * msPerTick;
}

/** Means of CPU time, whose clock ticks every 10 ms; medians of time by the clock, which others disturb. */
function medianOf(starts: readonly Start[]): Start {
  const wallMs = starts.map((start) => start.wallMs).toSorted((a, b) => a - b)[starts.length >> 1]!;
  return { wallMs, cpuMs: starts.reduce((sum, start) => sum + start.cpuMs, 0) / starts.length };
}

/** Of the second of two starts: the first verifies where nothing is on record. */
function tokenizerCpuMs(): number {
  const module = new URL('../output/tokenizers/loadTokenizer.ts', import.meta.url).href;
  const script = `
    const { loadTokenizer } = await import(${JSON.stringify(module)});
    const before = process.cpuUsage();
    await loadTokenizer('qwen2.5');
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000);`;
  const load = () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  load();
  return Number(load());
}

function goal(what: string, isMet: boolean): string {
  return `; goal ${what}: ${isMet ? 'met' : 'MISSED'}`;
}
