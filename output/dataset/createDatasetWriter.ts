import { UserError } from '../../base/userError.ts';
import type {
  DatasetWriter,
  PreferencePair,
  RlTaskChoice,
  WriteOutcome,
} from '../../contract/datasetWriter.ts';
import { errorOfFailure } from '../../contract/errors.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { DatasetFormatName } from '../../schemas/config/datasetFormatNames.ts';
import { lackingFor, type WantedCounts } from '../../schemas/config/target.ts';
import type { Manifest, ManifestFile } from '../../schemas/manifest.ts';
import type { PassRateLine } from '../../schemas/passRateLine.ts';
import { type RolloutRates, rolloutRates } from '../../schemas/rolloutRates.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { datasetCard } from './datasetCard.ts';
import { DatasetCounts, PairCounts } from './datasetCounts.ts';
import { datasetManifest, refuseChangedFiles } from './datasetManifest.ts';
import { type FinishedFormat, FormatWriter } from './formatWriter.ts';
import { PartialFolder } from './partialFolder.ts';
import { type DatasetSettings, type PreparedDataset, prepareDataset } from './prepareDataset.ts';
import { type RowMaker, rowMaker } from './rowMaker.ts';
import type { PreparedRow } from './rowWork.ts';
import { splitOf } from './splitOf.ts';
import { TaskRows } from './taskRows.ts';

export interface DatasetWriterOptions extends DatasetSettings {
  /** The dataset's folder when it is finished; one that is there is replaced then. */
  readonly folder: string;
  readonly profileOf: (name: string) => Profile | undefined;
  readonly configHash: string;
  /** coa-distill's version. */
  readonly version: string;
  /** Counts before and after balancing, for the dataset card; absent where nothing was balanced. */
  readonly balance?: BalanceTable;
  /** Most tokens of the prompts of tasks; default: that of `rl.limits`. */
  readonly maxPromptTokens?: number;
  /** How often each task was solved; written where a task has more than one rollout. */
  readonly passRates?: readonly PassRateLine[];
  /** What the dataset is to hold at most; rows behind those are refused. Absent: all rows. */
  readonly target?: WantedCounts;
  /** Files that must come out just so, or the folder that is there is not replaced; absent: none. */
  readonly unchanged?: readonly ManifestFile[];
}

/** Where a dataset says how often each task was solved: a file for `filters.difficulty`, or for RL. */
const passRatesFile = 'tasks.pass_rates.jsonl';

/**
 * Begins a dataset folder, see {@link DatasetWriter}.
 *
 * @throws UserError when the folder can't be written, the chat template can't be used with the tokenizer, or a format
 * can't hold what the options make of rows
 */
export async function createDatasetWriter(options: DatasetWriterOptions): Promise<DatasetWriter> {
  const prepared = await prepareDataset(options);
  const folder = await PartialFolder.create(options.folder);
  return new FolderDatasetWriter(options, { folder, ...prepared, rows: rowMaker(options, prepared) });
}

/** Where a dataset is written, and in what. */
interface DatasetParts extends PreparedDataset {
  readonly folder: PartialFolder;
  readonly rows: RowMaker;
}

class FolderDatasetWriter implements DatasetWriter {
  readonly #options: DatasetWriterOptions;
  readonly #names: readonly DatasetFormatName[];
  readonly #rates: RolloutRates | undefined;
  readonly #folder: PartialFolder;
  readonly #template: ChatTemplate;
  readonly #rows: RowMaker;
  readonly #writers: readonly FormatWriter[];
  readonly #pairWriters: readonly FormatWriter<'pair'>[];
  readonly #tasks: TaskRows;
  readonly #counts = new DatasetCounts();
  readonly #pairCounts = new PairCounts();
  /** Settles when the rows so far are written. */
  #turn: Promise<unknown> = Promise.resolve();
  #isAborted = false;
  /** Borders inside a token, of rows that were refused for them. */
  #straddles = 0;

  constructor(options: DatasetWriterOptions, parts: DatasetParts) {
    const { folder, template, formats, pairFormats, taskFormats, rows } = parts;
    const { shard_mb } = options.dataset;
    const shardBytes = shard_mb === null ? Number.POSITIVE_INFINITY : shard_mb * 1e6;
    this.#options = options;
    this.#names = [...formats, ...pairFormats, ...taskFormats]
      .map(({ format }) => format.name)
      .filter((name) => name !== 'trajectories' && name !== 'pairs');
    this.#rates = rolloutRates(options.passRates ?? []);
    this.#folder = folder;
    this.#template = template;
    this.#rows = rows;
    this.#writers = formats.map((planned) => new FormatWriter(folder, planned, shardBytes));
    this.#pairWriters = pairFormats.map((planned) => new FormatWriter(folder, planned, shardBytes));
    const taskWriters = taskFormats.map((planned) => new FormatWriter(folder, planned, shardBytes));
    this.#tasks = new TaskRows({ ...options, template, folder }, taskWriters);
  }

  get takesPairs(): boolean {
    return this.#pairWriters.length > 0;
  }

  write(trajectory: Trajectory, clusterId = trajectory.task_id): Promise<WriteOutcome> {
    return this.#inTurn(this.#prepare(trajectory), (prepared) => this.#put(trajectory, clusterId, prepared));
  }

  writePair({ chosen, rejected }: PreferencePair, clusterId = chosen.task_id): Promise<void> {
    return this.#inTurn(this.#prepare(chosen, rejected), (prepared) =>
      this.#putPair(chosen.task_id, clusterId, prepared),
    );
  }

  get takesTasks(): boolean {
    return this.#tasks.isTaken;
  }

  async writeTask(choice: RlTaskChoice, clusterId = choice.task.id): Promise<void> {
    await this.#turn;
    await this.#tasks.add(choice, splitOf(clusterId, this.#options.dataset.validation_share));
  }

  /** Writes what is being prepared once all before it is written. */
  #inTurn<T>(preparing: Promise<PreparedRow>, put: (prepared: PreparedRow) => Promise<T>): Promise<T> {
    const writing = this.#turn.then(async () => put(await preparing));
    // What goes wrong with a row is thrown to whoever wrote it, and the next row goes on.
    this.#turn = Promise.allSettled([preparing, writing]);
    return writing;
  }

  async #prepare(trajectory: Trajectory, rejected?: Trajectory): Promise<PreparedRow> {
    const profile = this.#options.profileOf(trajectory.profile);
    if (!profile)
      throw new Error(`trajectory ${trajectory.id} has the unknown profile ${trajectory.profile}`);
    return this.#rows.run({ trajectory, profile, ...(rejected && { rejected }) });
  }

  async #put(trajectory: Trajectory, clusterId: string, prepared: PreparedRow): Promise<WriteOutcome> {
    if (this.#isAborted) throw new Error(`${this.#options.folder}: the dataset was given up`);
    const { cutoff_len, validation_share } = this.#options.dataset;
    if (prepared.kind === 'failed') {
      this.#straddles += prepared.straddles;
      throw errorOfFailure(prepared.failure);
    }
    if (prepared.kind === 'too_long') return { ...prepared, cutoff_len };
    if (prepared.kind === 'nothing_trained') return prepared;
    const { target } = this.#options;
    const lacking = target
      ? lackingFor(trajectory.profile, target, this.#counts.counted)
      : Number.POSITIVE_INFINITY;
    if (target && lacking === 0) return { kind: 'over_target', wanted: target.wanted };
    const split = splitOf(clusterId, validation_share);
    // Repeats are for training: a validation row that counts twice would only blur what is measured.
    const wished = split === 'train' ? (trajectory.sampling?.repeats ?? 1) : 1;
    const repeats = target?.unit === 'rows' ? Math.min(wished, lacking) : wished;
    const { held, rows } = prepared;
    for (const [at, writer] of this.#writers.entries()) {
      for (let nth = 0; nth < repeats; nth++) await writer.add(rows[at]!, held, split);
    }
    return { kind: 'written', sample: this.#counts.add({ ...held[0], trajectory }, split, repeats) };
  }

  async #putPair(taskId: string, clusterId: string, prepared: PreparedRow): Promise<void> {
    if (this.#isAborted) throw new Error(`${this.#options.folder}: the dataset was given up`);
    if (prepared.kind === 'failed') this.#straddles += prepared.straddles;
    if (prepared.kind !== 'row')
      return this.#pairCounts.leaveOut(prepared.kind === 'too_long' ? 'too_long' : 'unusable');
    const split = splitOf(clusterId, this.#options.dataset.validation_share);
    for (const [at, writer] of this.#pairWriters.entries())
      await writer.add(prepared.rows[at]!, prepared.held, split);
    this.#pairCounts.add(taskId, split);
  }

  /**
   * @throws UserError when rows had straddling tokens, for the tokenizer does not fit the layout, and rows would be
   * missing; and when a file that was to stay unchanged would not
   */
  async finish(): Promise<Manifest> {
    try {
      await this.#turn;
      await this.#rows.close();
      this.#refuseStraddles();
      const finished: FinishedFormat[] = [];
      for (const writer of this.#everyWriter) finished.push(await writer.finish());
      finished.push(...(await this.#tasks.finish()));
      if (this.#rates) await this.#folder.writeFile(passRatesFile, jsonLines(this.#options.passRates!));
      const manifest = this.#manifest();
      const { name, balance } = this.#options;
      await this.#folder.writeFile(
        'README.md',
        datasetCard({ name, manifest, finished, ...(balance && { balance }) }),
      );
      const whole: Manifest = { ...manifest, files: [...this.#folder.files] };
      await this.#folder.writeFile('manifest.json', `${JSON.stringify(whole, null, 2)}\n`);
      refuseChangedFiles(this.#options, whole);
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
    await this.#tasks.abort();
    await this.#folder.discard();
  }

  get #everyWriter() {
    return [...this.#writers, ...this.#pairWriters];
  }

  #refuseStraddles(): void {
    if (this.#straddles === 0) return;
    throw new UserError(
      `dataset.tokenizer: with ${this.#options.tokenizer.name} ${this.#straddles} segment borders lie inside a token, so no mask would be exact: use qwen2.5 or another byte-level BPE tokenizer, or set dataset.straddling: apart`,
    );
  }

  /** The manifest before the dataset card is among its files. */
  #manifest(): Manifest {
    return datasetManifest(this.#options, {
      ...this.#counts.counted,
      chat_template: { name: this.#template.name, sha256: this.#template.sha256 },
      formats: [...this.#names],
      ...(this.#rates && { rollouts: this.#rates }),
      ...(this.takesPairs && { preference: this.#pairCounts.counted }),
      ...(this.takesTasks && { rl_tasks: this.#tasks.counted }),
      files: [...this.#folder.files],
    });
  }
}

function jsonLines(rows: readonly object[]): string {
  return rows
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('')
    .toWellFormed();
}
