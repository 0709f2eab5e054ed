import type { Config } from '../schemas/config/config.ts';
import { isOfEndpoint } from '../schemas/failureCauses.ts';
import type { StageFailure } from '../schemas/outcome.ts';

/** Input of a stage: none (`source`), all records (`corpus`) or one record at a time. */
export type StageKind = 'source' | 'corpus' | 'record';

/** Kinds of records passed between stages. */
export type RecordKind = 'task' | 'trace' | 'trajectory' | 'sample' | 'document' | 'fact' | 'candidate';

/** Static description of a stage. */
export interface StageRow {
  readonly name: string;
  /** Only `record` stages can rerun single inputs; the others process all inputs again. */
  readonly kind: StageKind;
  /** Kind of record read; null for a source. */
  readonly reads: RecordKind | null;
  readonly writes: RecordKind;
  /** True if equal input always gives equal records: earlier results stay valid. */
  readonly repeatable: boolean;
  /** True if it decides from earlier stages' findings without asking a model; `refilter RUN --set` reruns it. */
  readonly decides: boolean;
  /** True if a run has the stage; absent: every run has it. A missing stage passes its input on. */
  readonly askedBy?: (config: StageSections) => boolean;
  /** Endpoint of the stage. If every input failed without an answer, all remain pending. */
  readonly endpoint?: AskedEndpoint;
  /** True if later stages look up its records, rather than only the next one reading them. */
  readonly lookedUp?: true;
  /** Product besides the records, relative to the run's folder; the stage counts as done while it exists. */
  readonly product?: string;
}

interface AskedEndpoint {
  /** Name for messages: `tasks failed at the endpoint`. */
  readonly name: string;
  /** True for a failure without an answer of the endpoint, which says nothing about the record. */
  readonly isUnasked: (failure: StageFailure) => boolean;
}

/** Inputs that determine a run's stages: configuration and files next to the run. */
export type StageSections = Pick<Config, 'decontaminate' | 'probe' | 'select' | 'dedup' | 'balance'> & {
  /** Decisions from reviews next to the run; absent without any. */
  readonly reviews?: unknown;
  /** True for a run that makes tasks from documents; other runs make a dataset from tasks. */
  readonly synthesis?: boolean;
};

/** Manifest of a run's dataset, relative to the run's folder; exists once the dataset is finished. */
export const DATASET_MANIFEST = 'dataset/manifest.json';

/** Manifest of synthesised tasks, relative to the run's folder; exists once they are written. */
export const TASKS_MANIFEST = 'taskset/manifest.json';

const finds = { repeatable: false, decides: false };
const decides = { repeatable: false, decides: true };
const repeats = { repeatable: true, decides: false };
const picksTasks = { kind: 'corpus', reads: 'task', writes: 'task', ...repeats } as const;
/** Endpoint whose answer every record needs. */
const askedAt = (name: string) => ({ name, isUnasked: ({ cause }: StageFailure) => isOfEndpoint(cause) });
const asksAboutDocuments = (name: string) => ({ kind: 'record', ...finds, endpoint: askedAt(name) }) as const;
const candidates = { reads: 'candidate', writes: 'candidate' } as const;
const picksTrajectories = { kind: 'corpus', reads: 'trajectory', writes: 'trajectory', ...decides } as const;

/**
 * Stages of a dataset run in order; single source for each fact about a stage. `pipeline/stages` opens them. Imports
 * nothing, so that `--help` stays fast.
 */
const datasetStages = [
  { name: 'tasks', kind: 'source', reads: null, writes: 'task', ...repeats },
  { name: 'dedup', ...picksTasks },
  {
    name: 'decontaminate',
    ...picksTasks,
    askedBy: ({ decontaminate }: StageSections) => (decontaminate?.benchmarks.length ?? 0) > 0,
  },
  {
    name: 'probe',
    kind: 'record',
    reads: 'task',
    writes: 'task',
    ...finds,
    askedBy: ({ probe }: StageSections) => probe !== undefined,
    endpoint: {
      name: "the probe's endpoint",
      isUnasked: ({ cause, cut_short }: StageFailure) => isOfEndpoint(cause) || cut_short === true,
    },
  },
  {
    name: 'rollout',
    kind: 'record',
    reads: 'task',
    writes: 'trace',
    ...finds,
    endpoint: askedAt('the endpoint'),
  },
  { name: 'convert', kind: 'record', reads: 'trace', writes: 'trajectory', ...finds },
  {
    name: 'judge',
    kind: 'record',
    reads: 'trajectory',
    writes: 'trajectory',
    ...finds,
    endpoint: {
      name: "the judge's endpoint",
      isUnasked: ({ cause, cut_short }: StageFailure) => cause === 'not_cached' || cut_short === true,
    },
  },
  { name: 'filter', kind: 'record', reads: 'trajectory', writes: 'trajectory', ...decides },
  {
    name: 'select',
    ...picksTrajectories,
    askedBy: ({ select, dedup }: StageSections) => select !== undefined || dedup?.trajectories !== undefined,
  },
  {
    name: 'balance',
    ...picksTrajectories,
    askedBy: ({ balance }: StageSections) => balance !== undefined,
  },
  {
    name: 'review',
    ...picksTrajectories,
    askedBy: ({ reviews }: StageSections) => reviews !== undefined,
  },
  {
    name: 'export',
    kind: 'corpus',
    reads: 'trajectory',
    writes: 'sample',
    ...decides,
    product: DATASET_MANIFEST,
  },
] as const satisfies readonly StageRow[];

/** Stages of a task synthesis in order. */
const synthesisStages = [
  { name: 'documents', kind: 'source', reads: null, writes: 'document', lookedUp: true, ...repeats },
  {
    name: 'facts',
    ...asksAboutDocuments('the endpoint of propose'),
    reads: 'document',
    writes: 'fact',
    lookedUp: true,
  },
  { name: 'seeds', kind: 'corpus', reads: 'fact', writes: 'candidate', ...finds },
  { name: 'grow', ...asksAboutDocuments('the endpoint of link and write'), ...candidates },
  { name: 'check', ...asksAboutDocuments('the endpoint of check and solve'), ...candidates },
  { name: 'choose', kind: 'corpus', ...candidates, ...decides },
  {
    name: 'write',
    kind: 'corpus',
    reads: 'candidate',
    writes: 'task',
    ...decides,
    product: TASKS_MANIFEST,
  },
] as const satisfies readonly StageRow[];

type Row = (typeof datasetStages)[number] | (typeof synthesisStages)[number];

export type StageName = Row['name'];

export type DatasetStageName = (typeof datasetStages)[number]['name'];

export type SynthesisStageName = (typeof synthesisStages)[number]['name'];

/** Stages that only some configurations or runs have. */
export type OptionalStageName = Extract<Row, { askedBy: unknown }>['name'] | SynthesisStageName;

export type KindOfStage<Name extends StageName> = Extract<Row, { name: Name }>['kind'];

type NamedRow = StageRow & { readonly name: StageName };
const [ofDataset, ofSynthesis]: readonly (readonly NamedRow[])[] = [datasetStages, synthesisStages];
const rows = [...ofDataset!, ...ofSynthesis!];

/** Stage names of a dataset run, in order. */
export const datasetStageNames: readonly StageName[] = ofDataset!.map(({ name }) => name);

/** Stage names of a task synthesis, in order. */
export const synthesisStageNames: readonly StageName[] = ofSynthesis!.map(({ name }) => name);

/** All stage names; those of one run are in order. */
export const stageNames: readonly StageName[] = rows.map(({ name }) => name);

export function stageRow(name: StageName): StageRow {
  return rows[stageNames.indexOf(name)]!;
}

/** Matching stages of dataset runs, in order. */
export function stagesWhere(isWanted: (row: StageRow) => boolean): StageName[] {
  return ofDataset!.filter(isWanted).map(({ name }) => name);
}

/** Stages before the given one, in order. */
export function stagesBefore(name: StageName): readonly StageName[] {
  const names = namesBeside(name);
  return names.slice(0, names.indexOf(name));
}

/** Stages after the given one, in order. */
export function stagesAfter(name: StageName): readonly StageName[] {
  const names = namesBeside(name);
  return names.slice(names.indexOf(name) + 1);
}

function namesBeside(name: StageName): readonly StageName[] {
  return synthesisStageNames.includes(name) ? synthesisStageNames : datasetStageNames;
}

/** Whether a run with this configuration has a stage. */
export function hasStage(name: StageName, config: StageSections): boolean {
  if (synthesisStageNames.includes(name) !== (config.synthesis === true)) return false;
  return stageRow(name).askedBy?.(config) ?? true;
}
