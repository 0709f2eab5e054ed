import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Where runs are looked for by name. */
export const RUNS_DIR = 'runs';

/** Names of the runs under `runs/`. */
export function runNames(): string[] {
  if (!existsSync(RUNS_DIR)) return [];
  return readdirSync(RUNS_DIR).filter((name) => existsSync(join(RUNS_DIR, name, 'run.json')));
}

/** Names of the runs under `runs/`, and of those that evaluations there hold. */
export function everyRunName(): string[] {
  const names = existsSync(RUNS_DIR) ? readdirSync(RUNS_DIR) : [];
  return names.flatMap((name) =>
    existsSync(join(RUNS_DIR, name, 'run.json')) ? [name] : benchmarkRunNames(name),
  );
}

/**
 * The runs that an evaluation's folder holds, one a benchmark, as names of runs: `evaluation/gaia`. None where it is not
 * an evaluation.
 */
export function benchmarkRunNames(evaluation: string): string[] {
  for (const folder of [join(RUNS_DIR, evaluation), evaluation]) {
    if (existsSync(join(folder, 'run.json')) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      continue;
    const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'run.json')));
    if (names.length > 0) return names.sort().map((name) => join(evaluation, name));
  }
  return [];
}
