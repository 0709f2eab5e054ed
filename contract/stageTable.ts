import type { Config } from '../schemas/config/config.ts';
import { isOfEndpoint } from '../schemas/failureCauses.ts';
import type { StageFailure } from '../schemas/outcome.ts';

/** How a stage works: it brings records in, sees all of them, or takes one at a time. */
export type StageKind = 'source' | 'corpus' | 'record';

/** What passes from stage to stage. */
export type RecordKind = 'task' | 'trace' | 'trajectory' | 'sample' | 'document' | 'fact' | 'candidate';

/** What is known of a stage without opening it. */
export interface StageRow {
  readonly name: string;
  /** Only `record` stages can rerun single inputs; the others see all of theirs again. */
  readonly kind: StageKind;
  /** Null for a source. */
  readonly reads: RecordKind | null;
  readonly writes: RecordKind;
  /** True where equal input always gives equal records: what was made of them before stays good. */
  readonly repeatable: boolean;
  /** True where it decides by what earlier stages found out, and asks no model: `refilter RUN --set` makes it. */
  readonly decides: boolean;
  /** Whether a run has the stage; every run has it where absent. The stage after takes what the one before made. */
  readonly askedBy?: (config: StageSections) => boolean;
  /** For a stage that asks an endpoint. Where every input fails as unasked, nothing is known of any: all are pending. */
  readonly endpoint?: AskedEndpoint;
  /** True where later stages look its records up, and not the next one alone reads them. */
  readonly lookedUp?: true;
  /** Path inside the run's folder of what the stage makes besides its records: it is done while that is there. */
  readonly product?: string;
}

interface AskedEndpoint {
  /** For messages: `tasks failed at the endpoint`. */
  readonly name: string;
  /** True for a failure that says nothing of the record, since the endpoint gave no answer about it. */
  readonly isUnasked: (failure: StageFailure) => boolean;
}

/** What of a configuration, and of what lies beside the run, says which stages a run has. */
export type StageSections = Pick<Config, 'decontaminate' | 'probe' | 'select' | 'dedup' | 'balance'> & {
  /** What follows from the reviews that lie beside the run; absent where nothing does. */
  readonly reviews?: unknown;
  /** True for a run that makes tasks from documents; any other makes a dataset of tasks. */
  readonly synthesis?: boolean;
};

/** The manifest of a run's dataset, inside the run's folder; it is there once the dataset is finished. */
export const DATASET_MANIFEST = 'dataset/manifest.json';

/** The manifest of the tasks that a synthesis made, inside its run's folder; it is there once they are written. */
export const TASKS_MANIFEST = 'taskset/manifest.json';

const finds = { repeatable: false, decides: false };
const decides = { repeatable: false, decides: true };
const repeats = { repeatable: true, decides: false };
const picksTasks = { kind: 'corpus', reads: 'task', writes: 'task', ...repeats } as const;
/** An endpoint without whose answer nothing is known of a record. */
const askedAt = (name: string) => ({ name, isUnasked: ({ cause }: StageFailure) => isOfEndpoint(cause) });
const asksAboutDocuments = (name: string) => ({ kind: 'record', ...finds, endpoint: askedAt(name) }) as const;
const candidates = { reads: 'candidate', writes: 'candidate' } as const;
const picksTrajectories = { kind: 'corpus', reads: 'trajectory', writes: 'trajectory', ...decides } as const;

/**
 * The stages of a run that makes a dataset, in their order: each fact about a stage once. `pipeline/stages` opens them.
 * Loads nothing, so that `--help` can ask it.
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

/** The stages of a run that makes tasks from documents, in their order. */
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

/** Name of a stage. */
export type StageName = Row['name'];

/** Name of a stage of a run that makes a dataset. */
export type DatasetStageName = (typeof datasetStages)[number]['name'];

/** Name of a stage of a run that makes tasks from documents. */
export type SynthesisStageName = (typeof synthesisStages)[number]['name'];

/** Stages that a run has only where its configuration asks for them, or where it makes tasks. */
export type OptionalStageName = Extract<Row, { askedBy: unknown }>['name'] | SynthesisStageName;

export type KindOfStage<Name extends StageName> = Extract<Row, { name: Name }>['kind'];

type NamedRow = StageRow & { readonly name: StageName };
const [ofDataset, ofSynthesis]: readonly (readonly NamedRow[])[] = [datasetStages, synthesisStages];
const rows = [...ofDataset!, ...ofSynthesis!];

/** The names of the stages that a run may have which makes a dataset, in their order. */
export const datasetStageNames: readonly StageName[] = ofDataset!.map(({ name }) => name);

/** The names of the stages of a run that makes tasks from documents, in their order. */
export const synthesisStageNames: readonly StageName[] = ofSynthesis!.map(({ name }) => name);

/** The names of all stages; those of one run stand in their order. */
export const stageNames: readonly StageName[] = rows.map(({ name }) => name);

export function stageRow(name: StageName): StageRow {
  return rows[stageNames.indexOf(name)]!;
}

/** The stages of runs that make a dataset of which something is true, in their order. */
export function stagesWhere(isWanted: (row: StageRow) => boolean): StageName[] {
  return ofDataset!.filter(isWanted).map(({ name }) => name);
}

/** The stages before one, in their order. */
export function stagesBefore(name: StageName): readonly StageName[] {
  const names = namesBeside(name);
  return names.slice(0, names.indexOf(name));
}

/** The stages after one, in their order. */
export function stagesAfter(name: StageName): readonly StageName[] {
  const names = namesBeside(name);
  return names.slice(names.indexOf(name) + 1);
}

/** The stages that the same kind of run has. */
function namesBeside(name: StageName): readonly StageName[] {
  return synthesisStageNames.includes(name) ? synthesisStageNames : datasetStageNames;
}

/** Whether a run with this configuration has a stage. */
export function hasStage(name: StageName, config: StageSections): boolean {
  if (synthesisStageNames.includes(name) !== (config.synthesis === true)) return false;
  return stageRow(name).askedBy?.(config) ?? true;
}
