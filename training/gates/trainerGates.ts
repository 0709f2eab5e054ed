import { nearestName } from '../../base/nearestName.ts';
import type { SettingRules } from '../../contract/trainer.ts';
import { type Judge, lacks, pass, refuse, unchecked } from '../../contract/trainingGate.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { trainerTable } from '../trainers/trainerTable.ts';

export const trainerGates = {
  /** The trainer is installed where the job starts, in a version with proven masks. */
  trainer({ plan, trainer }) {
    const { package: name, version: from, below } = trainerTable[plan.trainer].tested;
    if (trainer === null) return unchecked(`${name}'s version: its Python is not on this machine`);
    const { python, versions, problem } = trainer;
    if (problem !== null)
      return lacks(`training.python ${python}: ${problem}; name the Python of the environment with ${name}`);
    const version = versions[name];
    if (version !== undefined && isInRange(version, from, below)) return pass;
    return lacks(
      version === undefined
        ? `${python} has no ${name}: install ${name}==${from} there, or name the environment's Python with --set python=PATH`
        : `${python} has ${name} ${version}, and the masks are proved with ${from} (below ${below}): install ${name}==${from} there, or name another environment's Python with --set python=PATH`,
    );
  },

  /** Its own loader returns all rows of the dataset, since trainers silently drop rows. */
  'loaded rows'({ plan: { trainer: name, dataset }, trainer }) {
    const what = "row counts after the trainer's own loading";
    if (trainer === null) return unchecked(`${what}: its Python is not on this machine`);
    const { loaded, loadError } = trainer;
    if (loaded === null)
      return loadError === null
        ? unchecked(`${what}: its Python lacks the trainer`)
        : refuse(
            `${dataset.folder} can't be loaded by the trainer's Python (${loadError}); install what it misses, or export again: the command of the run, with --from export`,
          );
    const counts = [
      ['train', dataset.rows, loaded.rows],
      ['validation', dataset.validation_rows, loaded.validationRows],
    ] as const;
    const wrong = counts.find(([, expected, found]) => expected !== found);
    if (!wrong) return pass;
    const [split, expected, found] = wrong;
    return refuse(
      `${name} loads ${found} ${split} rows from ${dataset.folder}, and the dataset has ${expected}; export again: the command of the run, with --from export`,
    );
  },

  /** Every key exists in the trainer, which would otherwise crash or silently ignore it. */
  keys({ plan, setKeys, trainer: facts }) {
    const { title, tested, settings } = trainerTable[plan.trainer];
    const known = facts?.arguments ?? null;
    const asked = known === null ? setKeys : unknownArguments(Object.keys(plan.hyper_parameters), known);
    if (asked.length === 0) return pass;
    const told = asked
      .map((key) => `training.set.${key}: ${adviceOn(key, known ?? [], settings)}`)
      .join(', ');
    if (known === null)
      return unchecked(`whether ${title} has the keys, which its Python does not say: ${told}`);
    return refuse(`${title} ${facts?.versions[tested.package] ?? tested.version} has no such key: ${told}`);
  },
} satisfies Record<string, Judge>;

/**
 * True if a version is in a range. A pre-release (`0.9.6.dev0`) is below its release and outside of ranges that end
 * there, since it has the release's changes (PEP 440 treats `<0.9.6` the same way).
 */
export function isInRange(version: string, from: string, below: string): boolean {
  const fromFirst = compareReleases(version, from);
  const isLowEnough = compareReleases(version, below) < 0;
  return (
    isLowEnough && (fromFirst > 0 || (fromFirst === 0 && !/^\d+(\.\d+)*\.?(dev|a|b|rc)\d/.test(version)))
  );
}

function compareReleases(a: string, b: string): number {
  const [left, right] = [releaseOf(a), releaseOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Numbers of a version; empty for other text, which is below every version. */
function releaseOf(version: string): number[] {
  return /^\d+(\.\d+)*/.exec(version)?.[0].split('.').map(Number) ?? [];
}

function adviceOn(key: string, known: readonly string[], { expectedKey }: SettingRules): string {
  const own = nearestName(key, sectionKeys);
  const nearest = nearestName(key, [...sectionKeys, ...known.filter((name) => !name.endsWith('*'))]);
  if (nearest === undefined) return `expected ${expectedKey}`;
  return `did you mean ${nearest}${nearest === own ? ' (a key of the training section)' : ''}?`;
}

const sectionKeys = Object.keys(trainingConfigSchema.def.in.shape).filter((key) => key !== 'set');

/**
 * Keys missing from a list, in which `a.*` covers every key below `a`, and a key with + is one that has to be added.
 */
export function unknownArguments(keys: readonly string[], known: readonly string[]): string[] {
  const names = new Set(known);
  const openings = known.flatMap((name) => (name.endsWith('.*') ? [name.slice(0, -1)] : []));
  const isKnown = (key: string): boolean =>
    names.has(key) || openings.some((opening) => key.startsWith(opening));
  // Hydra's ++ sets new and existing keys.
  return keys.filter(
    (key) => !(isKnown(key) || (key.startsWith('++') && (isKnown(key.slice(1)) || isKnown(key.slice(2))))),
  );
}
