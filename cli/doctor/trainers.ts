import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import { datasetReaders } from '../../output/dataset/datasetReaders.ts';
import { probeProgram } from '../../training/gates/trainerFacts.ts';
import { findGpus } from '../train/gpus.ts';
import type { CheckRow, Finding } from './check.ts';

export const gpuRow: CheckRow = {
  what: 'GPUs',
  neededFor: 'training on this machine',
  howToGet: 'train on another machine (--launcher), or on the CPU with --set gpus_per_node=0',
  isRequired: () => false,
  async look() {
    const { count, names } = await findGpus();
    return count === 0
      ? { ok: false, found: 'nvidia-smi finds none, or is not there' }
      : { ok: true, found: `${count} x ${names.join(', ')}` };
  },
};

/** Timeout of a Python query. */
const TIMEOUT_MS = 20_000;

/** Trainers whose files this program writes, with their version and Python. */
export const trainersRow: CheckRow = {
  what: 'trainers',
  neededFor: 'train',
  howToGet: '',
  isRequired: () => false,
  async look() {
    const pythons = await Promise.all(candidatePythons().map(versionsOf));
    return Object.entries(datasetReaders).map(([name, { package: packageName, version }]): Finding => {
      const found = pythons.find(({ versions }) => versions[packageName] !== undefined);
      return {
        what: `trainer ${name}`,
        ok: found !== undefined,
        found: found
          ? `${found.versions[packageName]} in ${found.shown}, tested with ${version}`
          : 'neither a ./.venv* nor python3 has it',
        howToGet: `python3 -m venv .venv-${name} && .venv-${name}/bin/pip install ${packageName}==${version}`,
      };
    });
  },
};

const answerSchema = z.object({ versions: z.record(z.string(), z.string()) });

async function versionsOf(
  python: string,
): Promise<{ readonly shown: string; readonly versions: Readonly<Record<string, string>> }> {
  const packages = Object.values(datasetReaders).map((reader) => reader.package);
  // Minimal environment, since this process may have keys in its variables.
  const env = { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', HOME: '/', LANG: 'C.UTF-8' };
  const shown = python.includes('/') ? relative(process.cwd(), python) : python;
  try {
    const program = ['-I', probeProgram, JSON.stringify({ packages })];
    const { stdout } = await promisify(execFile)(python, program, { env, timeout: TIMEOUT_MS });
    const { versions } = answerSchema.parse(parseJson(stdout.trim()));
    return { shown, versions };
  } catch {
    return { shown, versions: {} };
  }
}

/** Environments in `./.venv*`, then the system's Python. */
function candidatePythons(): string[] {
  const environments = readdirSync('.')
    .filter((name) => name.startsWith('.venv'))
    .sort()
    .map((name) => resolve(name, 'bin/python'))
    .filter((python) => existsSync(python));
  return [...environments, 'python3'];
}
