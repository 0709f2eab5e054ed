import { contentId } from '../../schemas/ids.ts';
import { type StageName, stageNames } from '../contract/stage.ts';
import type { ShapingConfig } from './shapingConfig.ts';

/** What a run's records depend on, as content ids. */
export interface ShapingHashes {
  /** Of the whole configuration that shapes records. */
  readonly config: string;
  /** Of each stage: its own settings and version and those of every stage before it. */
  readonly stages: ReadonlyMap<StageName, string>;
}

/** Hashes a configuration stage by stage; `versions` are those of the stages' code. */
export function stageHashes(shaping: ShapingConfig, versions: ReadonlyMap<StageName, number>): ShapingHashes {
  const stages = new Map<StageName, string>();
  let before: string | null = null;
  for (const stage of stageNames) {
    before = contentId('config', { stage, version: versions.get(stage), settings: shaping[stage], before });
    stages.set(stage, before);
  }
  return { config: contentId('config', shaping), stages };
}
