import { existsSync } from 'node:fs';
import { isJsonObject } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { UserError } from '../../base/userError.ts';
import { type LoadedConfig, loadConfig, readSettings } from '../../pipeline/config/loadConfig.ts';
import { loadDotEnv } from '../../pipeline/config/toolsConfig.ts';
import { loadSynthesis } from '../../synthesis/loadSynthesis.ts';
import { coloured } from '../outputMode.ts';
import { type Check, type CheckRow, checksOf } from './check.ts';
import { diskRow, nodeRow, pythonRow, sandboxRow, tokenizerRow } from './machine.ts';
import { endpointRow, mcpServersRow, ownModulesRow, toolKeysRow } from './services.ts';
import { gpuRow, trainersRow } from './trainers.ts';

const DEFAULT_CONFIG = 'coa.yaml';

/** All checks in print order. */
const checkTable: readonly CheckRow[] = [
  nodeRow,
  sandboxRow,
  pythonRow,
  endpointRow,
  toolKeysRow,
  mcpServersRow,
  ownModulesRow,
  tokenizerRow,
  diskRow,
  gpuRow,
  trainersRow,
];

export interface DoctorOptions {
  readonly json?: true;
  readonly baseUrl?: string;
  readonly model?: string;
}

/** Checks the machine and prints the results. Returns 1 if something required is missing. */
export async function runDoctor(
  configFile: string | undefined,
  { json, ...overrides }: DoctorOptions,
): Promise<number> {
  const file = configFile ?? (existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined);
  if (file === undefined && (overrides.baseUrl ?? overrides.model) !== undefined)
    throw new UserError(
      '--base-url, --model: no coa.yaml here; name a configuration, or make one with coa-distill init',
    );
  if (file !== undefined) loadDotEnv(file);
  const loaded = file === undefined ? undefined : await loadWhole(file, overrides);
  const checks: Check[] = [];
  for (const row of checkTable) checks.push(...(await checksOf(row, loaded)));
  const shown = checks.filter(({ isPart, ok }) => !isPart || !ok);
  console.log(json ? JSON.stringify(checks) : shown.map(checkLine).join('\n'));
  return checks.some((check) => check.required && !check.ok) ? 1 : 0;
}

/** Loads a configuration with tasks, or one that makes tasks. */
async function loadWhole(file: string, overrides: Omit<DoctorOptions, 'json'>): Promise<LoadedConfig> {
  const { value } = await readSettings(file, {});
  const onlyMakesTasks = isJsonObject(value) && value.synthesize !== undefined && value.tasks === undefined;
  return onlyMakesTasks ? loadSynthesis(file, {}) : loadConfig(file, overrides);
}

/** Line of a check, with installation advice if it failed. */
function checkLine(check: Check): string {
  const { what, ok, found, neededFor, howToGet } = check;
  const line = `${mark(check)} ${what}: ${printable(found.replace(/\s*\n\s*/g, ' '))} · for ${neededFor}`;
  return ok ? line : `${line} · fix: ${howToGet}`;
}

function mark({ ok, skipped, required }: Check): string {
  if (skipped) return 'skipped';
  if (ok) return coloured('green', 'ok     ');
  return required ? coloured('red', 'missing') : coloured('yellow', 'absent ');
}
