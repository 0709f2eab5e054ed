import type { JsonObject } from '../../base/json.ts';
import type { CorpusStage, Identified, RecordStage, SourceStage } from '../../contract/stage.ts';
import { type StageName, stageRow, stagesAfter } from '../../contract/stageTable.ts';
import type { StageFile } from '../../schemas/run/runFile.ts';
import { settingNames } from '../config/fingerprintConfig.ts';
import { differingKeys } from '../config/stageHashes.ts';

export interface StageTarget {
  readonly stage: StageName;
  /** Undefined if the existing output is kept, whatever its code version. */
  readonly version: number | undefined;
  /** Content id of all settings that shape its records, including those of earlier stages. */
  readonly configHash: string;
  readonly settings: JsonObject;
}

export type OpenedStage =
  | { readonly kind: 'source'; readonly stage: SourceStage<Identified> }
  | { readonly kind: 'corpus'; readonly stage: CorpusStage<Identified, Identified> }
  | { readonly kind: 'record'; readonly stage: RecordStage<Identified, Identified> };

export interface RunStage extends StageTarget {
  /** Absent for a stage copied from another run, which has no work here. */
  readonly opened?: OpenedStage;
}

type StaleReason =
  | { readonly kind: 'version'; readonly was: number; readonly now: number }
  /** Dotted paths of changed settings. */
  | { readonly kind: 'settings'; readonly keys: readonly string[] }
  /** Its input is being rerun, or was rerun since. */
  | { readonly kind: 'inputs' }
  | { readonly kind: 'asked' };

/** State of a stage. All but `done` are pending. */
export type StageState =
  | { readonly stage: StageName; readonly kind: 'unbegun' | 'cut_off' | 'done' }
  /** To be rerun completely; the existing output is discarded at that time. */
  | { readonly stage: StageName; readonly kind: 'stale'; readonly reasons: readonly StaleReason[] };

interface StageFacts {
  /** `stage.json`; undefined before the stage has begun. */
  readonly file: StageFile | undefined;
  /** True if its own files show no pending work. */
  readonly isDone: boolean;
  /** State of the stage before; undefined for the first one. */
  readonly before: StageState | undefined;
}

export function stageState(wanted: StageTarget, { file, isDone, before }: StageFacts): StageState {
  const { stage } = wanted;
  if (!file) return { stage, kind: 'unbegun' };
  const reasons = staleReasons(wanted, file, before);
  if (reasons.length > 0) return { stage, kind: 'stale', reasons };
  return { stage, kind: isDone && !isRemade(before) ? 'done' : 'cut_off' };
}

/**
 * True if later stages must be rerun because this one is rerun or lost records. False for a stage that gives the same
 * records again once the old settings return.
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
  if (file.stale === 'asked') reasons.push({ kind: 'asked' });
  if (file.config_hash !== wanted.configHash) reasons.push(...differences(wanted, file));
  const isOutdated = file.stale === 'inputs' || file.config_hash !== wanted.configHash;
  // A resumed stage adds records at new indexes only.
  const onlyGrows = before?.kind === 'cut_off' && file.index_of !== undefined;
  if ((isOutdated && reasons.length === 0) || (isRemade(before) && !onlyGrows))
    reasons.push({ kind: 'inputs' });
  return reasons;
}

/** True if the stage before will emit other records than now. */
function isRemade(before: StageState | undefined): boolean {
  return before !== undefined && before.kind !== 'done' && !stageRow(before.stage).repeatable;
}

function differences({ version, settings }: StageTarget, file: StageFile): StaleReason[] {
  const reasons: StaleReason[] = [];
  if (version !== undefined && file.version !== version)
    reasons.push({ kind: 'version', was: file.version, now: version });
  const keys = settingNames(differingKeys(file.settings, settings));
  if (keys.length > 0) reasons.push({ kind: 'settings', keys });
  return reasons;
}

/** Maximum settings listed; the rest is only counted. */
const MAX_KEYS = 4;

/** Describes a state for users: `stale: other settings (judge.min_f1)`. */
export function describeStageState(state: StageState): string {
  switch (state.kind) {
    case 'done':
      return 'done';
    case 'unbegun':
      return 'to do';
    case 'cut_off':
      return 'to resume';
    case 'stale':
      return `stale: ${state.reasons.map(describeReason).join(', ')}`;
  }
}

function describeReason(reason: StaleReason): string {
  switch (reason.kind) {
    case 'asked':
      return 'asked for with --from';
    case 'inputs':
      return 'input changed';
    case 'version':
      return `version ${reason.was}, now ${reason.now}`;
    case 'settings': {
      const more = reason.keys.length - MAX_KEYS;
      const named = reason.keys.slice(0, MAX_KEYS).join(', ');
      return `other settings (${named}${more > 0 ? ` and ${more} more` : ''})`;
    }
  }
}

/** Settings that only select tasks; cached answers to earlier tasks stay valid. */
const taskChoice = /^(?:tasks|limit|dedup|decontaminate|probe)(?:\.|$)/;

/**
 * Warns that resuming would pay for finished work again: the rollout is stale, but not because of a new task selection
 * or a user request. Undefined if no warning is needed.
 *
 * @param hasCache false if the paid answers are missing
 */
export function paidRerunReason(states: readonly StageState[], hasCache: boolean): string | undefined {
  const rollout = states.find(({ stage }) => stage === 'rollout');
  if (rollout?.kind !== 'stale') return undefined;
  const early = states.filter(({ stage }) => !stagesAfter('rollout').includes(stage));
  const reasons = early.flatMap((state) => (state.kind === 'stale' ? state.reasons : []));
  if (reasons.some(({ kind }) => kind === 'asked')) return undefined;
  const keys = reasons.flatMap((reason) => (reason.kind === 'settings' ? reason.keys : []));
  const version = reasons.find((reason) => reason.kind === 'version');
  const other = keys.filter((key) => !taskChoice.test(key) && key !== 'filters.duplicate_questions');
  if (other.length > 0) return `other settings (${other.join(', ')})`;
  if (version) return 'another version of a stage';
  return hasCache ? undefined : 'other tasks, and the cache of its answers is missing';
}
