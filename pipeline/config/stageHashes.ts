import { contentId } from '../../base/ids.ts';
import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { type StageName, stageNames } from '../../contract/stageTable.ts';
import type { ConfigFingerprint } from './fingerprintConfig.ts';

/** What a run's records depend on, as content ids. */
export interface FingerprintHashes {
  /** Content id of the whole configuration that shapes records. */
  readonly config: string;
  /** Content id of each stage: its own settings and version and those of every stage before it. */
  readonly stages: ReadonlyMap<StageName, string>;
}

/** Content id of the configuration that shapes a run's records. */
export function configHashOf(shaping: ConfigFingerprint): string {
  return contentId('config', shaping);
}

/**
 * Hashes a configuration stage by stage; `versions` are those of the stages' code. A stage that the run does not have
 * changes no hash.
 *
 * @param made hashes of stages that stay as they are, whatever their code is by now
 */
export function stageHashes(
  shaping: ConfigFingerprint,
  versions: ReadonlyMap<StageName, number>,
  made: ReadonlyMap<StageName, string> = new Map(),
): FingerprintHashes {
  const stages = new Map<StageName, string>();
  let before: string | null = null;
  for (const stage of stageNames) {
    if (shaping[stage] === undefined) continue;
    before =
      made.get(stage) ??
      contentId('config', { stage, version: versions.get(stage), settings: shaping[stage], before });
    stages.set(stage, before);
  }
  return { config: configHashOf(shaping), stages };
}

/** Dotted paths of the values in which two JSON values differ, in the order of their keys. */
export function differingKeys(a: JsonValue | undefined, b: JsonValue | undefined, path = ''): string[] {
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
    return keys.flatMap((key) => differingKeys(a[key], b[key], path === '' ? key : `${path}.${key}`));
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return a.flatMap((item: JsonValue, index) =>
      differingKeys(item, b[index] as JsonValue, `${path}.${index}`),
    );
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [path];
}
