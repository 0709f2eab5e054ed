import { once } from '../../base/once.ts';
import { parseRow } from '../../base/rows/fileRow.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { UserError } from '../../base/userError.ts';
import type { SourceRow } from '../../operations/standalone/sourceRow.ts';
import { segmentWeights } from '../../output/rows/segmentWeights.ts';
import { builtinRegistry } from '../../schemas/coa/profileRegistry.ts';
import { datasetConfigSchema, maskConfigSchema } from '../../schemas/config/dataset.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { createFileFeed, readRow, rowText, sourceRow } from '../index/fileFeed.ts';
import { LiveIndex } from '../index/liveIndex.ts';
import { readAt } from '../index/runJournals.ts';
import { rowAnswers } from './listedRows.ts';
import type { RecordAnswer } from './runSource.ts';

/** Files of rows without a run. */
export class FileSource {
  readonly kind = 'files';
  readonly name: string;
  readonly live: LiveIndex;
  readonly #tokens = once(async () => {
    const { RowTokens } = await import('./rowTokens.ts');
    return new RowTokens(datasetConfigSchema.parse({}));
  });

  constructor(name: string, given: string) {
    this.name = name;
    this.live = new LiveIndex(createFileFeed(given));
  }

  async record(row: number): Promise<RecordAnswer> {
    const { index } = this.live;
    const [own] = rowAnswers(index, [row]);
    const stored = await this.#row(row);
    const read = readRow(stored);
    const trajectory = 'trajectory' in read ? read.trajectory : null;
    const profile = trajectory && builtinRegistry.profileOf(trajectory.profile);
    return {
      ...own!,
      recordId: trajectory?.id ?? null,
      steps: [],
      problems: 'problem' in read ? [read.problem] : [],
      foreign: 'problem' in read ? rowText(stored) : null,
      task: null,
      synthesis: null,
      trace: null,
      trajectory,
      weights: trajectory && profile ? segmentWeights(trajectory, profile, maskConfigSchema.parse({})) : null,
      sample: null,
      siblings: [],
      formats: [],
    };
  }

  async tokens(row: number) {
    const { trajectory, profile } = await this.#trained(row);
    return (await this.#tokens()).tokens(trajectory, profile);
  }

  async inFormat(row: number, format: string): Promise<string> {
    const { trajectory, profile } = await this.#trained(row);
    return (await this.#tokens()).inFormat(trajectory, profile, format, trainingConfigSchema.parse({}));
  }

  async close(): Promise<void> {
    await this.live.close();
  }

  async #trained(row: number) {
    const read = readRow(await this.#row(row));
    if ('problem' in read) throw new UserError(read.problem);
    const profile = builtinRegistry.profileOf(read.trajectory.profile);
    if (!profile) throw new UserError(`the profile ${read.trajectory.profile} is not known here`);
    return { trajectory: read.trajectory, profile };
  }

  async #row(row: number): Promise<SourceRow> {
    const { stage: file, offset, length } = this.live.index.placesOf(row)[0]!;
    const number = Number(/:(\d+)$/.exec(this.live.index.rowsAt([row])[0]!.key)?.[1] ?? 0);
    if (length > 0) {
      const bytes = await readAt(file, offset, length);
      const place = { row: number, line: null, bytesRead: offset + length, bytes };
      return sourceRow(file, { ...place, ...parseRow(bytes) });
    }
    // Rows of compressed files and columnar formats have no bytes of their own.
    for await (const found of (await openRowFile(file)).rows())
      if (found.row === number) return sourceRow(file, found);
    throw new UserError(`${file} no longer has a row ${number}`);
  }
}
