import type { JsonObject } from '../../base/json.ts';
import type { CorpusStage, Identified, RecordStage, SourceStage } from '../../contract/stage.ts';
import { type StageName, stageRow, stagesAfter } from '../../contract/stageTable.ts';
import type { StageFile } from '../../schemas/run/runFile.ts';
import { settingNames } from '../config/fingerprintConfig.ts';
import { differingKeys } from '../config/stageHashes.ts';

/** A stage as the configuration wants it. */
export interface StageTarget {
  readonly stage: StageName;
  /** Undefined where it stays as it was made, whatever its code is by now. */
  readonly version: number | undefined;
  /** Content id of everything that shapes its records, earlier stages included. */
  readonly configHash: string;
  readonly settings: JsonObject;
}

/** A stage as the runner sees it. */
export type OpenedStage =
  | { readonly kind: 'source'; readonly stage: SourceStage<Identified> }
  | { readonly kind: 'corpus'; readonly stage: CorpusStage<Identified, Identified> }
  | { readonly kind: 'record'; readonly stage: RecordStage<Identified, Identified> };

/** A stage of a run: what it is to be, and who does its work. */
export interface RunStage extends StageTarget {
  /** Absent for a stage that was taken over from another run: it has no work here. */
  readonly opened?: OpenedStage;
}

/** Why what a stage made is out of date. */
type StaleReason =
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

interface StageFacts {
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
  return { stage, kind: isDone && !isRemade(before) ? 'done' : 'cut_off' };
}

/**
 * True when later stages have to be made again because this one is, or because what it had made is lost: not for a
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
  if (file.stale === 'asked') reasons.push({ kind: 'asked' });
  if (file.config_hash !== wanted.configHash) reasons.push(...differences(wanted, file));
  const isOutdated = file.stale === 'inputs' || file.config_hash !== wanted.configHash;
  // What a stage that is resumed adds has places of its own.
  const onlyGrows = before?.kind === 'cut_off' && file.index_of !== undefined;
  if ((isOutdated && reasons.length === 0) || (isRemade(before) && !onlyGrows))
    reasons.push({ kind: 'inputs' });
  return reasons;
}

/** Whether the stage before will have other records than now. */
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

/** Most settings that are named; the others are counted. */
const MAX_KEYS = 4;

/** Where a stage stands and why, for people: `stale: other settings (judge.min_f1)`. */
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

/** Settings that only say which tasks there are: answers to those that were there before are in the cache, if it is there. */
const taskChoice = /^(?:tasks|limit|dedup|decontaminate|probe)(?:\.|$)/;

/**
 * Why resuming would ask models again for work that is done, so that money might be spent that nobody thought of:
 * the rollout is stale, and not because other tasks were chosen or because the user asked for it. Undefined where
 * resuming is no surprise.
 *
 * @param hasCache false where the answers that were paid for are missing
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
