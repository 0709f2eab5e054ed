import type { JsonValue } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import type { SettingRules, Trainer } from '../../contract/trainer.ts';
import { refuseInterpolation } from '../../output/quoting/hydraOverride.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import { launcherTable } from '../launchers/launcherTable.ts';

/** @throws UserError for settings that contradict each other, the trainer or the launcher */
export function refuseUnfit(training: TrainingConfig, { name, settings }: Trainer): void {
  const { lr_scheduler, preset, epochs } = training;
  refuseSetKeys(settings, training.set);
  if (!settings.schedulers.includes(lr_scheduler) && preset === null) {
    throw new UserError(
      `training.lr_scheduler: expected ${settings.schedulers.join(' or ')}, got ${lr_scheduler}, which ${name} does not know`,
    );
  }
  if (settings.wholeEpochs && !Number.isInteger(epochs)) {
    throw new UserError(
      `training.epochs: expected a whole number, since ${name} trains whole epochs, got ${epochs}; set max_steps to end earlier`,
    );
  }
  launcherTable[training.launcher].refuse?.(training);
}

/** @throws UserError for more processes on a machine than it has GPUs, unless it has none */
export function refuseUnfitProcesses(processesPerNode: number, gpusPerNode: number): void {
  if (gpusPerNode === 0 || processesPerNode <= gpusPerNode) return;
  throw new UserError(
    `training.processes_per_node: expected at most ${gpusPerNode}, one a GPU, got ${processesPerNode}; leave it out, or say with --set gpus_per_node=N how many GPUs a machine has`,
  );
}

/**
 * Refuses what `training.set` may not hold: keys of another form, keys that would change masks or plan, and values that
 * can't be written so that the trainer reads them back.
 *
 * @throws UserError that names the key and says what to do
 */
function refuseSetKeys(
  { keyForm, expectedKey, refusedKeys, problemOf, bareKey }: SettingRules,
  set: Readonly<Record<string, JsonValue>>,
): void {
  for (const [key, value] of Object.entries(set)) {
    const name = `training.set.${key}`;
    if (!keyForm.test(key))
      throw new UserError(`training.set: expected ${expectedKey}, got ${JSON.stringify(key)}`);
    const reason = reasonOf(refusedKeys, bareKey?.(key) ?? key);
    if (reason !== undefined) throw new UserError(`${name}: refused, for ${reason}`);
    refuseInterpolation(name, value);
  }
  const problem = problemOf?.(set);
  if (problem !== undefined) throw new UserError(`training.set.${problem}`);
}

function reasonOf(reasons: Readonly<Record<string, string>>, key: string): string | undefined {
  if (Object.hasOwn(reasons, key)) return reasons[key];
  // A key above a refused one would set that one too; a name that ends with a dot stands for everything below.
  const related = Object.keys(reasons).find(
    (name) => name.startsWith(`${key}.`) || (name.endsWith('.') && key.startsWith(name)),
  );
  return related === undefined ? undefined : reasons[related];
}
