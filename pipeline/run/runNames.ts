import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const RUNS_DIR = 'runs';

export function runNames(): string[] {
  if (!existsSync(RUNS_DIR)) return [];
  return readdirSync(RUNS_DIR).filter((name) => existsSync(join(RUNS_DIR, name, 'run.json')));
}

/** Names of the runs under `runs/`, including those inside evaluations. */
export function everyRunName(): string[] {
  const names = existsSync(RUNS_DIR) ? readdirSync(RUNS_DIR) : [];
  return names.flatMap((name) =>
    existsSync(join(RUNS_DIR, name, 'run.json')) ? [name] : benchmarkRunNames(name),
  );
}

/** Run names inside an evaluation's folder, one per benchmark, such as `evaluation/gaia`; empty for other folders. */
export function benchmarkRunNames(evaluation: string): string[] {
  for (const folder of [join(RUNS_DIR, evaluation), evaluation]) {
    if (existsSync(join(folder, 'run.json')) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      continue;
    const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'run.json')));
    if (names.length > 0) return names.sort().map((name) => join(evaluation, name));
  }
  return [];
}
