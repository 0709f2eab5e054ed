import { UserError } from '../../base/userError.ts';
import type { DatasetWriter, WriteOutcome } from '../../contract/datasetWriter.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { DatasetFormatName } from '../../schemas/config/datasetFormatNames.ts';
import type { Manifest, ManifestFile } from '../../schemas/manifest.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { segmentWeights } from '../rows/segmentWeights.ts';
import { StraddlingTokens } from '../rows/tokeniseRow.ts';
import { datasetCard } from './datasetCard.ts';
import { DatasetCounts } from './datasetCounts.ts';
import type { DatasetRow } from './datasetFormat.ts';
import { type FinishedFormat, FormatWriter, type PlannedFormat } from './formatWriter.ts';
import { PartialFolder } from './partialFolder.ts';
import { type DatasetSettings, prepareDataset } from './prepareDataset.ts';
import { renderRow } from './renderRow.ts';
import { splitOf } from './splitOf.ts';

/** What a dataset is written with. */
export interface DatasetWriterOptions extends DatasetSettings {
  /** The dataset's folder when it is finished; one that is there is replaced then. */
  readonly folder: string;
  readonly profileOf: (name: string) => Profile | undefined;
  readonly configHash: string;
  /** coa-distill's version. */
  readonly version: string;
  /** Counts before and after balancing, for the dataset card; absent where nothing was balanced. */
  readonly balance?: BalanceTable;
  /** Files that must come out just so, or the folder that is there is not replaced; absent: none. */
  readonly unchanged?: readonly ManifestFile[];
}

const bytesPerMegabyte = 1_000_000;

/**
 * Begins a dataset folder, see {@link DatasetWriter}.
 *
 * @throws UserError when the folder can't be written, the chat template can't be used with the tokenizer, or a format
 * can't hold what the options make of rows
 */
export async function createDatasetWriter(options: DatasetWriterOptions): Promise<DatasetWriter> {
  const { formats, template } = await prepareDataset(options);
  const folder = await PartialFolder.create(options.folder);
  return new FolderDatasetWriter(options, { folder, template, formats });
}

/** Where a dataset is written, and in what. */
interface DatasetParts {
  readonly folder: PartialFolder;
  readonly template: ChatTemplate;
  /** The canonical records, then the chosen formats. */
  readonly formats: readonly PlannedFormat[];
}

class FolderDatasetWriter implements DatasetWriter {
  readonly #options: DatasetWriterOptions;
  readonly #names: readonly DatasetFormatName[];
  readonly #folder: PartialFolder;
  readonly #template: ChatTemplate;
  readonly #writers: readonly FormatWriter[];
  readonly #counts = new DatasetCounts();
  /** Borders inside a token, of rows that were refused for them. */
  #straddles = 0;

  constructor(options: DatasetWriterOptions, { folder, template, formats }: DatasetParts) {
    const { shard_mb } = options.dataset;
    const shardBytes = shard_mb === null ? Number.POSITIVE_INFINITY : shard_mb * bytesPerMegabyte;
    this.#options = options;
    this.#names = formats.map(({ format }) => format.name).filter((name) => name !== 'trajectories');
    this.#folder = folder;
    this.#template = template;
    this.#writers = formats.map((planned) => new FormatWriter(folder, planned, shardBytes));
  }

  async write(trajectory: Trajectory, clusterId = trajectory.task_id): Promise<WriteOutcome> {
    const { cutoff_len, validation_share } = this.#options.dataset;
    const row = await this.#render(trajectory);
    const tokens = row.inputIds.length;
    if (tokens > cutoff_len) return { kind: 'too_long', tokens, cutoff_len };
    if (this.#trainsNothing(row)) return { kind: 'nothing_trained' };
    const split = splitOf(clusterId, validation_share);
    // Repeats are for training: a validation row that counts twice would only blur what is measured.
    const repeats = split === 'train' ? (trajectory.sampling?.repeats ?? 1) : 1;
    const prepared = this.#writers.map((writer) => writer.prepare(row));
    for (const [at, writer] of this.#writers.entries()) {
      for (let nth = 0; nth < repeats; nth++) await writer.add(prepared[at]!, split);
    }
    return { kind: 'written', sample: this.#counts.add(row, split, repeats) };
  }

  /**
   * @throws UserError when rows had straddling tokens, for the tokenizer does not fit the layout, and rows would be
   * missing; and when a file that was to stay unchanged would not
   */
  async finish(): Promise<Manifest> {
    try {
      this.#refuseStraddles();
      const finished: FinishedFormat[] = [];
      for (const writer of this.#writers) finished.push(await writer.finish());
      const manifest = this.#manifest();
      const { name, balance } = this.#options;
      await this.#folder.writeFile(
        'README.md',
        datasetCard({ name, manifest, finished, ...(balance && { balance }) }),
      );
      const whole: Manifest = { ...manifest, files: [...this.#folder.files] };
      await this.#folder.writeFile('manifest.json', `${JSON.stringify(whole, null, 2)}\n`);
      this.#refuseChanges(whole);
      await this.#folder.commit();
      return whole;
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  async abort(): Promise<void> {
    for (const writer of this.#writers) await writer.abort();
    await this.#folder.discard();
  }

  async #render(trajectory: Trajectory): Promise<DatasetRow> {
    const { tokenizer, dataset, profileOf } = this.#options;
    const profile = profileOf(trajectory.profile);
    if (!profile)
      throw new Error(`trajectory ${trajectory.id} has the unknown profile ${trajectory.profile}`);
    try {
      return await renderRow(trajectory, profile, {
        tokenizer,
        template: this.#template,
        mask: dataset.mask,
        straddling: dataset.straddling,
        ...(dataset.too_long === 'cut' && { cutoffLen: dataset.cutoff_len }),
      });
    } catch (error) {
      if (error instanceof StraddlingTokens) this.#straddles += error.straddles;
      throw error;
    }
  }

  /** Whether the mask leaves every segment out, so that no more than the end of the turn would be learnt. */
  #trainsNothing({ trajectory, rendered, profile }: DatasetRow): boolean {
    const kept = { segments: rendered.segments, quality: trajectory.quality };
    return segmentWeights(kept, profile, this.#options.dataset.mask).every((weight) => weight === 0);
  }

  #refuseStraddles(): void {
    if (this.#straddles === 0) return;
    throw new UserError(
      `dataset.tokenizer: with ${this.#options.tokenizer.name} ${this.#straddles} segment borders lie inside a token, so no mask would be exact: use qwen2.5 or another byte-level BPE tokenizer, or set dataset.straddling: apart`,
    );
  }

  #refuseChanges({ files }: Manifest): void {
    const written = new Map(files.map((file) => [file.path, file.sha256]));
    const changed = this.#options.unchanged?.find((file) => written.get(file.path) !== file.sha256);
    if (changed === undefined) return;
    throw new UserError(
      `${this.#options.folder}: ${changed.path} would not come out as it is, since the dataset was made by another version of coa-distill or of its inputs; make the whole dataset again with coa-distill run and --from export`,
    );
  }

  /** The manifest before the dataset card is among its files. */
  #manifest(): Manifest {
    const { tokenizer, dataset } = this.#options;
    return {
      format_version: 1,
      coa_distill_version: this.#options.version,
      config_hash: this.#options.configHash,
      ...this.#counts.counted,
      tokenizer: { name: tokenizer.name, sha256: tokenizer.sha256, encoder: tokenizer.encoder },
      chat_template: { name: this.#template.name, sha256: this.#template.sha256 },
      system_prompt: dataset.system_prompt,
      mask: dataset.mask,
      cutoff_len: dataset.cutoff_len,
      segments_encoded: dataset.straddling === 'apart' ? 'apart' : 'whole',
      formats: [...this.#names],
      files: [...this.#folder.files],
    };
  }
}
