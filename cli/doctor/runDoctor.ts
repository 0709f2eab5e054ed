import { existsSync } from 'node:fs';
import { printable } from '../../base/printable.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { loadDotEnv } from '../../pipeline/config/loadDotEnv.ts';
import { coloured } from '../outputMode.ts';
import { type Check, type CheckRow, checksOf } from './check.ts';
import { diskRow, nodeRow, pythonRow, sandboxRow, tokenizerRow } from './machine.ts';
import { endpointRow, mcpServersRow, toolKeysRow } from './services.ts';
import { gpuRow, trainersRow } from './trainers.ts';

const DEFAULT_CONFIG = 'coa.yaml';

/** All that is looked at, in the order in which it is printed. */
const checkTable: readonly CheckRow[] = [
  nodeRow,
  sandboxRow,
  pythonRow,
  endpointRow,
  toolKeysRow,
  mcpServersRow,
  tokenizerRow,
  diskRow,
  gpuRow,
  trainersRow,
];

/** Looks at the machine and prints what it has. Returns 1 when something that the configuration needs is missing. */
export async function runDoctor(configFile: string | undefined, json: boolean): Promise<number> {
  const file = configFile ?? (existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined);
  if (file !== undefined) loadDotEnv(file);
  const loaded = file === undefined ? undefined : await loadConfig(file);
  const checks: Check[] = [];
  for (const row of checkTable) checks.push(...(await checksOf(row, loaded)));
  console.log(json ? JSON.stringify(checks) : checks.map(checkLine).join('\n'));
  return checks.some((check) => check.required && !check.ok) ? 1 : 0;
}

/** One check as a line; what is missing also says how to get it. */
function checkLine({ what, ok, found, neededFor, howToGet, required }: Check): string {
  const mark = ok
    ? coloured('green', 'ok     ')
    : required
      ? coloured('red', 'missing')
      : coloured('yellow', 'absent ');
  const line = `${mark} ${what}: ${printable(found.replace(/\s*\n\s*/g, ' '))} · for ${neededFor}`;
  return ok ? line : `${line} · get it: ${howToGet}`;
}
