import type { JsonObject } from '../../base/json.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { StageFile } from '../../schemas/run/stageFile.ts';
import { differingKeys } from '../config/differingKeys.ts';

/** A stage as the configuration wants it. */
export interface StageTarget {
  readonly stage: StageName;
  /** Undefined where it stays as it was made, whatever its code is by now. */
  readonly version: number | undefined;
  /** Content id of everything that shapes its records, earlier stages included. */
  readonly configHash: string;
  readonly settings: JsonObject;
}

/** Why what a stage made is out of date. */
export type StaleReason =
  | { readonly kind: 'version'; readonly was: number; readonly now: number }
  /** Dotted paths of the settings that differ. */
  | { readonly kind: 'settings'; readonly keys: readonly string[] }
  /** What goes into it is rerun, or was since. */
  | { readonly kind: 'inputs' }
  | { readonly kind: 'asked' };

/** Where a stage of a run stands. All but `done` are pending. */
export type StageState =
  | { readonly stage: StageName; readonly kind: 'unbegun' | 'cut_off' | 'done' }
  /** All of it is rerun; what it made is discarded when that begins. */
  | { readonly stage: StageName; readonly kind: 'stale'; readonly reasons: readonly StaleReason[] };

/** What {@link stageState} looks at besides what is wanted. */
export interface StageFacts {
  /** `stage.json`; undefined before the stage has begun. */
  readonly file: StageFile | undefined;
  /** True when nothing of it is pending as far as its own files tell. */
  readonly isDone: boolean;
  /** Where the stage before it stands; undefined for the first one. */
  readonly before: StageState | undefined;
}

/** Where a stage stands. */
export function stageState(wanted: StageTarget, { file, isDone, before }: StageFacts): StageState {
  const { stage } = wanted;
  if (!file) return { stage, kind: 'unbegun' };
  const reasons = staleReasons(wanted, file, before);
  if (reasons.length > 0) return { stage, kind: 'stale', reasons };
  return { stage, kind: isDone ? 'done' : 'cut_off' };
}

/**
 * True when later stages have to be made again because this one is, or because what it had made is gone: not for a
 * stage that would give the same records again if the old settings came back.
 */
export function outdatesLater(state: StageState): boolean {
  if (state.kind === 'done' || state.kind === 'cut_off') return false;
  const isAsked = state.kind === 'stale' && state.reasons.some(({ kind }) => kind === 'asked');
  return isAsked || !stageRow(state.stage).repeatable;
}

function staleReasons(
  wanted: StageTarget,
  file: StageFile,
  before: StageState | undefined,
): readonly StaleReason[] {
  const reasons: StaleReason[] = [];
  if (file.owed_anew === 'asked') reasons.push({ kind: 'asked' });
  if (file.config_hash !== wanted.configHash) reasons.push(...differences(wanted, file));
  const isOutdated = file.owed_anew === 'inputs' || file.config_hash !== wanted.configHash;
  const isRemade = before !== undefined && before.kind !== 'done' && !stageRow(before.stage).repeatable;
  if ((isOutdated && reasons.length === 0) || isRemade) reasons.push({ kind: 'inputs' });
  return reasons;
}

function differences({ version, settings }: StageTarget, file: StageFile): StaleReason[] {
  const reasons: StaleReason[] = [];
  if (version !== undefined && file.version !== version)
    reasons.push({ kind: 'version', was: file.version, now: version });
  const keys = file.settings
    ? differingKeys(file.settings, settings)
    : ['not noted by the version that made it'];
  if (keys.length > 0) reasons.push({ kind: 'settings', keys });
  return reasons;
}
