import { UserError } from '../../base/userError.ts';
import type {
  DatasetWriter,
  PreferencePair,
  RlTaskChoice,
  WriteOutcome,
} from '../../contract/datasetWriter.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { lackingFor, type WantedCounts } from '../../schemas/config/target.ts';
import type { Manifest, ManifestFile, Split } from '../../schemas/manifest.ts';
import type { PassRateLine } from '../../schemas/passRateLine.ts';
import { type RolloutRates, rolloutRates } from '../../schemas/rolloutRates.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { type DrawSettings, MixedPool } from '../mix/mixedPool.ts';
import { drawRows, MixedCounts } from '../mix/mixRows.ts';
import { idDecoder } from '../tokenizers/decodeIds.ts';
import { datasetCard } from './datasetCard.ts';
import { DatasetCounts, PairCounts, splitOf } from './datasetCounts.ts';
import type { RecordKind } from './datasetFormat.ts';
import { type FinishedFormat, FormatWriter, type PlannedFormat } from './formatWriter.ts';
import { PartialFolder } from './partialFolder.ts';
import { type DatasetSettings, type PreparedDataset, prepareDataset } from './prepareDataset.ts';
import { carriesMixed, type PreparedRow, type RowMaker, rowMaker, type TrajectoryItem } from './rowWork.ts';
import { TaskRows } from './taskRows.ts';

export interface DatasetWriterOptions extends DatasetSettings {
  /** Dataset folder; an existing one is replaced at the end. */
  readonly folder: string;
  readonly profileOf: (name: string) => Profile | undefined;
  readonly configHash: string;
  /** Version of coa-distill. */
  readonly version: string;
  /** Counts before and after balancing for the dataset card; absent without balancing. */
  readonly balance?: BalanceTable;
  /** Pass rates; written if a task has more than one rollout. */
  readonly passRates?: readonly PassRateLine[];
  /** Limits of the dataset; further rows are rejected. Default: all rows. */
  readonly target?: WantedCounts;
  /** Draw settings; required with `dataset.mix`. */
  readonly draw?: DrawSettings;
  /** Files that must be reproduced exactly, otherwise the existing folder is kept. Default: none. */
  readonly unchanged?: readonly ManifestFile[];
}

/** Pass rates of a dataset, in the format of `pass_rate.from`. */
const PASS_RATES_FILE = 'tasks.pass_rates.jsonl';

/**
 * Begins a dataset folder, see {@link DatasetWriter}.
 *
 * @throws UserError if the folder is not writable, the chat template does not fit the tokenizer, or a format can't hold
 * the configured rows
 */
export async function createDatasetWriter(options: DatasetWriterOptions): Promise<DatasetWriter> {
  const prepared = await prepareDataset(options);
  return new FolderDatasetWriter(options, await PartialFolder.create(options.folder), prepared);
}

class FolderDatasetWriter implements DatasetWriter {
  readonly #options: DatasetWriterOptions;
  readonly #folder: PartialFolder;
  readonly #template: ChatTemplate;
  readonly #rates: RolloutRates | undefined;
  readonly #rows: RowMaker;
  readonly #writers: { readonly [Kind in RecordKind]: readonly FormatWriter<Kind>[] };
  readonly #tasks: TaskRows;
  readonly #counts = new DatasetCounts();
  readonly #pairCounts = new PairCounts();
  #mixed: readonly MixedCounts[] = [];
  /** Settles once all rows so far are written. */
  #turn: Promise<unknown> = Promise.resolve();
  #isAborted = false;
  /** Borders inside a token, of rows that were rejected for them. */
  #bordersInTokens = 0;

  constructor(options: DatasetWriterOptions, folder: PartialFolder, prepared: PreparedDataset) {
    const { formats, template } = prepared;
    const { shard_mb } = options.dataset;
    const shardBytes = shard_mb === null ? Number.POSITIVE_INFINITY : shard_mb * 1e6;
    const open = <Kind extends RecordKind>(planned: readonly PlannedFormat<Kind>[]) =>
      planned.map((format) => new FormatWriter(folder, format, shardBytes));
    this.#options = options;
    this.#folder = folder;
    this.#template = template;
    this.#rates = rolloutRates(options.passRates ?? []);
    this.#rows = rowMaker(options, prepared);
    this.#writers = {
      trajectory: open(formats.trajectory),
      pair: open(formats.pair),
      task: open(formats.task),
      mixed: open(formats.mixed),
    };
    this.#tasks = new TaskRows({ ...options, template, folder }, this.#writers.task);
  }

  get takesPairs(): boolean {
    return this.#writers.pair.length > 0;
  }

  get takesTasks(): boolean {
    return this.#writers.task.length > 0;
  }

  write(trajectory: Trajectory, clusterId = trajectory.task_id): Promise<WriteOutcome> {
    return this.#inTurn({ trajectory }, (prepared) =>
      this.#put(trajectory, this.#splitOf(clusterId), prepared),
    );
  }

  writePair({ chosen, rejected }: PreferencePair, clusterId = chosen.task_id): Promise<void> {
    return this.#inTurn({ trajectory: chosen, rejected }, (prepared) =>
      this.#putPair(chosen.task_id, this.#splitOf(clusterId), prepared),
    );
  }

  async writeTask(choice: RlTaskChoice, clusterId = choice.task.id): Promise<void> {
    await this.#turn;
    await this.#tasks.add(choice, this.#splitOf(clusterId));
  }

  get mixes(): boolean {
    return this.#options.dataset.mix !== undefined;
  }

  async mix(clusterOf: (asked: string) => string, signal: AbortSignal): Promise<void> {
    await this.#turn;
    const { tokenizer, dataset, draw } = this.#options;
    const { mix = [] } = dataset;
    if (mix.length > 0 && !draw) throw new Error('dataset.mix is set, and nothing says how rows are drawn');
    const pools: MixedPool[] = [];
    try {
      for (const file of mix)
        pools.push(await MixedPool.read(file, { ...draw!, signal }, idDecoder(tokenizer)));
      await this.#mixIn(pools, clusterOf, signal);
    } finally {
      for (const pool of pools) pool.close();
    }
  }

  async #mixIn(
    pools: readonly MixedPool[],
    clusterOf: (asked: string) => string,
    signal: AbortSignal,
  ): Promise<void> {
    const counts = new Map(pools.map((pool) => [pool, new MixedCounts(pool)]));
    const writers = [
      ...this.#writers.mixed,
      ...this.#writers.trajectory.filter(({ planned }) => carriesMixed(planned)),
    ];
    const drawing = await drawRows(pools, this.#rows, this.#counts.counted.rows, signal);
    for (const pool of pools) pool.assertUsable();
    for await (const taken of drawing.taken(this.#rows)) {
      signal.throwIfAborted();
      const { asked, record } = taken.source;
      const split = this.#splitOf(asked === '' ? record.id : clusterOf(asked));
      const { rows, held } = taken.prepared;
      for (const [at, writer] of writers.entries()) await writer.add(rows[at]!, held, split);
      this.#counts.addMixed(held[0], split);
      counts.get(taken.pool)!.add(taken, split);
    }
    this.#mixed = [...counts.values()];
  }

  #splitOf(clusterId: string): Split {
    return splitOf(clusterId, this.#options.dataset.validation_share);
  }

  /** Prepares a row immediately, and writes it after all earlier ones. */
  #inTurn<T>(sides: Omit<TrajectoryItem, 'profile'>, put: (prepared: PreparedRow) => Promise<T>): Promise<T> {
    const preparing = this.#prepare(sides);
    const writing = this.#turn.then(async () => {
      const prepared = await preparing;
      if (this.#isAborted) throw new Error(`${this.#options.folder}: the dataset was given up`);
      if (prepared.kind === 'failed') this.#bordersInTokens += prepared.bordersInTokens;
      return put(prepared);
    });
    // Errors of a row go to its caller; the next row continues.
    this.#turn = Promise.allSettled([preparing, writing]);
    return writing;
  }

  async #prepare(sides: Omit<TrajectoryItem, 'profile'>): Promise<PreparedRow> {
    const { id, profile: name } = sides.trajectory;
    const profile = this.#options.profileOf(name);
    if (!profile) throw new Error(`trajectory ${id} has the unknown profile ${name}`);
    return this.#rows.run({ ...sides, profile });
  }

  async #put(trajectory: Trajectory, split: Split, prepared: PreparedRow): Promise<WriteOutcome> {
    const { target, dataset } = this.#options;
    if (prepared.kind === 'failed') {
      const { cause, message, evidence, ...options } = prepared.failure;
      throw new RecordFailure(cause, message, evidence, options);
    }
    if (prepared.kind === 'too_long') return { ...prepared, cutoff_len: dataset.cutoff_len };
    if (prepared.kind === 'nothing_trained') return prepared;
    const lacking = target && lackingFor(trajectory.profile, target, this.#counts.counted);
    if (target && lacking === 0) return { kind: 'over_target', wanted: target.wanted };
    // Repeats are for training only; they would distort the validation loss.
    const wanted = split === 'train' ? (trajectory.sampling?.repeats ?? 1) : 1;
    const repeats = target?.unit === 'rows' ? Math.min(wanted, lacking!) : wanted;
    const { held, rows } = prepared;
    for (const [at, writer] of this.#writers.trajectory.entries())
      for (let nth = 0; nth < repeats; nth++) await writer.add(rows[at]!, held, split);
    return { kind: 'written', sample: this.#counts.add({ ...held[0], trajectory }, split, repeats) };
  }

  async #putPair(taskId: string, split: Split, prepared: PreparedRow): Promise<void> {
    if (prepared.kind !== 'row')
      return this.#pairCounts.leaveOut(prepared.kind === 'too_long' ? 'too_long' : 'unusable');
    for (const [at, writer] of this.#writers.pair.entries())
      await writer.add(prepared.rows[at]!, prepared.held, split);
    this.#pairCounts.add(taskId, split);
  }

  /**
   * @throws UserError if rows were rejected because the tokenizer does not fit the layout, or a file that had to stay
   * unchanged would change
   */
  async finish(): Promise<Manifest> {
    try {
      await this.#turn;
      await this.#rows.close();
      this.#refuseTokensAcrossBorders();
      const finished: FinishedFormat[] = [];
      for (const writer of this.#everyWriter) finished.push(await writer.finish());
      await this.#tasks.finish();
      const { passRates = [], name, balance } = this.#options;
      if (this.#rates) await this.#folder.writeLines(PASS_RATES_FILE, passRates);
      const manifest = this.#manifest();
      const card = datasetCard({ name, manifest, finished, ...(balance && { balance }) });
      await this.#folder.writeFile('README.md', card);
      const whole: Manifest = { ...manifest, files: [...this.#folder.files] };
      await this.#folder.writeFile('manifest.json', `${JSON.stringify(whole, null, 2)}\n`);
      this.#refuseChangedFiles(whole);
      await this.#folder.commit();
      return whole;
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  async abort(): Promise<void> {
    this.#isAborted = true;
    await this.#rows.close();
    await this.#turn;
    for (const writer of this.#everyWriter) await writer.abort();
    await this.#folder.discard();
  }

  get #everyWriter() {
    return Object.values(this.#writers).flat();
  }

  #refuseTokensAcrossBorders(): void {
    if (this.#bordersInTokens === 0) return;
    throw new UserError(
      `dataset.tokenizer: with ${this.#options.tokenizer.name} ${this.#bordersInTokens} segment borders lie inside a token, so no mask would be exact: use qwen2.5 or another byte-level BPE tokenizer, or set dataset.boundary_tokens: apart`,
    );
  }

  #refuseChangedFiles({ files }: Manifest): void {
    const { folder, unchanged } = this.#options;
    const written = new Map(files.map((file) => [file.path, file.sha256]));
    const changed = unchanged?.find((file) => written.get(file.path) !== file.sha256);
    if (changed === undefined) return;
    throw new UserError(
      `${folder}: ${changed.path} would not come out as it is, since the dataset was made by another version of coa-distill or of its inputs; make the whole dataset again with coa-distill run and --from export`,
    );
  }

  /** Manifest without the dataset card, in fixed key order. */
  #manifest(): Manifest {
    const { version, configHash, tokenizer, dataset } = this.#options;
    return {
      format_version: 1,
      coa_distill_version: version,
      config_hash: configHash,
      ...this.#counts.counted,
      ...(this.takesTasks && { rl_tasks: this.#tasks.counted }),
      tokenizer: { name: tokenizer.name, sha256: tokenizer.sha256, encoder: tokenizer.encoder },
      chat_template: { name: this.#template.name, sha256: this.#template.sha256 },
      system_prompt: dataset.system_prompt,
      mask: dataset.mask,
      cutoff_len: dataset.cutoff_len,
      segments_encoded: dataset.boundary_tokens === 'apart' ? 'apart' : 'whole',
      formats: this.#everyWriter
        .map(({ planned }) => planned.format.name)
        .filter((name) => name !== 'trajectories' && name !== 'pairs' && name !== 'mixed'),
      ...(this.#rates && { rollouts: this.#rates }),
      ...(this.takesPairs && { preference: this.#pairCounts.counted }),
      ...(this.mixes && { mix: this.#mixed.map((file) => file.counted(this.#counts.counted.rows)) }),
      files: [...this.#folder.files],
    };
  }
}
