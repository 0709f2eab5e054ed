import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where runs are looked for by name. */
export const RUNS_DIR = 'runs';

/** Names of the runs under `runs/`. */
export function runNames(): string[] {
  if (!existsSync(RUNS_DIR)) return [];
  return readdirSync(RUNS_DIR).filter((name) => existsSync(join(RUNS_DIR, name, 'run.json')));
}
