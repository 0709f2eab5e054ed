import type { JsonValue } from '../../base/json.ts';
import { nearestName } from '../../base/nearestName.ts';
import type { SettingRules, Trainer, TrainerArguments } from '../../contract/trainer.ts';
import type { TrainingGate } from '../../contract/trainingGate.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { pass, refuse } from './gateResults.ts';

/** Every key that the trainer is told is one of its own: it would end with a traceback, or pass over it silently. */
export function argumentGate(
  trainer: Pick<Trainer, 'title' | 'tested' | 'settings' | 'arguments'>,
): TrainingGate {
  const { title, tested, settings, arguments: own } = trainer;
  return {
    name: 'keys',
    judge({ plan, trainer: facts }) {
      const known = facts?.arguments ?? recordedArguments(own, plan.hyper_parameters);
      const unknown = unknownArguments(Object.keys(plan.hyper_parameters), known);
      if (unknown.length === 0) return pass;
      const version = facts?.versions[tested.package] ?? tested.version;
      const told = unknown.map((key) => `training.set.${key}: ${adviceOn(key, known, settings)}`);
      return refuse(`${title} ${version} has no such key: ${told.join(', ')}`);
    },
  };
}

function adviceOn(key: string, known: readonly string[], { expectedKey }: SettingRules): string {
  const own = nearestName(key, sectionKeys);
  const nearest = nearestName(key, [...sectionKeys, ...known.filter((name) => !name.endsWith('*'))]);
  if (nearest === undefined) return `expected ${expectedKey}`;
  return `did you mean ${nearest}${nearest === own ? ' (a key of the training section)' : ''}?`;
}

const sectionKeys = Object.keys(trainingConfigSchema.def.in.shape).filter((key) => key !== 'set');

/** The recorded keys for a job; whatever stands below a key that chooses others than were recorded is taken for one. */
export function recordedArguments(
  { recorded, recordedFor }: TrainerArguments,
  keys: Readonly<Record<string, JsonValue>>,
): readonly string[] {
  const others = Object.entries(recordedFor).filter(([key, value]) => keys[key] !== value);
  return [...recorded, ...others.flatMap(([key]) => [`${key}.*`, `+${key}.*`])];
}

/** Keys that are not in a list of {@link TrainerArguments}. */
export function unknownArguments(keys: readonly string[], known: readonly string[]): string[] {
  const names = new Set(known);
  const openings = known.flatMap((name) => (name.endsWith('.*') ? [name.slice(0, -1)] : []));
  const isKnown = (key: string): boolean =>
    names.has(key) || openings.some((opening) => key.startsWith(opening));
  // Hydra's ++ sets a key whether it is there or not.
  return keys.filter(
    (key) => !(isKnown(key) || (key.startsWith('++') && (isKnown(key.slice(1)) || isKnown(key.slice(2))))),
  );
}
