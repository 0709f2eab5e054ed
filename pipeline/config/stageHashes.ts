import { contentId } from '../../base/ids.ts';
import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { type StageName, stageNames } from '../../contract/stageTable.ts';
import type { ConfigFingerprint } from './fingerprintConfig.ts';

export interface FingerprintHashes {
  /** Content id of all settings that shape records. */
  readonly config: string;
  /** Content id by stage, over the settings and versions of the stage and all earlier stages. */
  readonly stages: ReadonlyMap<StageName, string>;
}

export function configHashOf(shaping: ConfigFingerprint): string {
  return contentId('config', shaping);
}

/**
 * Hashes a configuration stage by stage; `versions` are those of the stages' code. Stages outside of the run change no
 * hash.
 *
 * @param made hashes of finished stages, kept whatever their code version
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

/** Dotted paths at which two JSON values differ, in key order. */
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
