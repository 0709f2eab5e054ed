import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { trajectoryOfRow, trajectoryRowSchema } from '../../../schemas/trainers/trajectoryRow.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { runCli } from '../../cli/support/runCli.ts';
import { trapTrajectories } from './trapTrajectories.ts';

const quickstart = fileURLToPath(new URL('../../../examples/quickstart.yaml', import.meta.url));

/** What every trainer's preprocessing is compared on: the quickstart's rows, and 500 full of traps. */
export async function provenTrajectories(folder: string): Promise<Trajectory[]> {
  return [...(await quickstartTrajectories(folder)), ...trapTrajectories(500)];
}

/** Runs the quickstart in the folder; the trajectories of its dataset. */
async function quickstartTrajectories(folder: string): Promise<Trajectory[]> {
  const run = await runCli(['run', quickstart, '--set', `runs_dir=${path.join(folder, 'runs')}`], {
    cwd: folder,
  });
  if (run.code !== 0) throw new Error(`the quickstart ended with ${run.code}: ${run.stderr}`);
  const file = path.join(folder, 'runs/quickstart/dataset/trajectories.jsonl');
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => trajectoryOfRow(trajectoryRowSchema.parse(JSON.parse(line))));
}
