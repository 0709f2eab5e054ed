import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { parseJson } from '../../base/json.ts';
import { candidatePythons, pythonEnvironment } from '../../output/readers/findPython.ts';
import { readerTable } from '../../output/readers/readerTable.ts';
import { findGpus } from '../train/gpus.ts';
import type { CheckRow, Finding } from './check.ts';

/** The GPUs that a training job on this machine would use. */
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

/** A Python that does not answer within this time has no answer. */
const TIMEOUT_MS = 20_000;

/** Prints the versions of the packages that are installed, as JSON; nothing is imported, which would take long. */
const VERSIONS_PROGRAM = `
import json, sys
from importlib.metadata import PackageNotFoundError, version
found = {}
for name in json.loads(sys.argv[1]):
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
`;

/** Every trainer whose files are written here, with the version and the Python that has it. */
export const trainersRow: CheckRow = {
  what: 'trainers',
  neededFor: 'train, and audit --with',
  howToGet: '',
  isRequired: () => false,
  async look() {
    const pythons = await Promise.all(candidatePythons().map(versionsOf));
    return Object.entries(readerTable).map(([name, { package: packageName, version }]): Finding => {
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

async function versionsOf(
  python: string,
): Promise<{ readonly shown: string; readonly versions: Readonly<Record<string, string>> }> {
  const packages = JSON.stringify(Object.values(readerTable).map((reader) => reader.package));
  const env = pythonEnvironment(python, '/');
  const shown = python.includes('/') ? relative(process.cwd(), python) : python;
  try {
    const program = ['-I', '-c', VERSIONS_PROGRAM, packages];
    const { stdout } = await promisify(execFile)(python, program, { env, timeout: TIMEOUT_MS });
    return { shown, versions: parseJson(stdout) as Record<string, string> };
  } catch {
    return { shown, versions: {} };
  }
}
