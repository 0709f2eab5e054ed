import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { z } from 'zod';
import { missingLines } from '../../base/parseStored.ts';
import { LineIndex } from './lineIndex.ts';
import { ReadAhead } from './readAhead.ts';
import { readStageFile, stagePaths } from './stageFiles.ts';
import { damagedLine, parseRecordLine, readRecordLines } from './stageJournals.ts';
import type { RecordInputs } from './stageRunner.ts';

/**
 * The records that a complete stage emitted, in the order of its inputs, whatever the order in which they were
 * finished. Holds places in the file, never the records. One reading at a time.
 */
export class StageInputs implements RecordInputs {
  readonly #runFolder: string;
  readonly #stage: string;
  readonly #file: FileHandle;
  readonly #bytes: ReadAhead;
  readonly #lines: LineIndex;
  readonly #order: Uint32Array;
  /** How many records there are. */
  readonly count: number;

  private constructor(runFolder: string, stage: string, file: FileHandle, lines: LineIndex) {
    this.#runFolder = runFolder;
    this.#stage = stage;
    this.#file = file;
    this.#bytes = new ReadAhead(file);
    this.#lines = lines;
    this.#order = lines.inInputOrder();
    this.count = this.#order.reduce((sum, line) => sum + lines.at(line).count, 0);
  }

  /**
   * Indexes the records that a stage has emitted so far.
   *
   * @throws UserError when a line is damaged, or when lines of a finished stage are missing
   */
  static async open(runFolder: string, stage: string): Promise<StageInputs> {
    const lines = new LineIndex();
    const { records } = stagePaths(runFolder, stage);
    let found = 0;
    for await (const { index, count, offset, bytes } of readRecordLines(runFolder, stage)) {
      lines.add({ index, count, offset, length: bytes.length });
      found += count;
    }
    const file = await readStageFile(runFolder, stage);
    const written = file?.complete === true ? file.emitted_records : found;
    if (found !== written) throw missingLines(records, stage, { count: found, written });
    return new StageInputs(runFolder, stage, await open(records, 'r'), lines);
  }

  /**
   * The records with their places in the order, from 0, except those for which `skip` is true.
   *
   * @throws UserError when a record does not fit the schema
   */
  async *read<T>(
    schema: z.ZodType<T>,
    skip: (index: number) => boolean = () => false,
  ): AsyncGenerator<{ index: number; record: T }> {
    let index = 0;
    for (const line of this.#order) {
      const { count } = this.#lines.at(line);
      const wanted = Array.from({ length: count }, (_, nth) => !skip(index + nth));
      if (wanted.includes(true)) {
        const records = await this.#recordsOf(line);
        for (const [nth, record] of records.entries()) {
          if (wanted[nth]) yield { index: index + nth, record: this.#parse(schema, record, line) };
        }
      }
      index += count;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #recordsOf(line: number): Promise<readonly unknown[]> {
    const { offset, length } = this.#lines.at(line);
    const bytes = await this.#bytes.read(offset, length);
    if (bytes.length < length)
      throw new Error(`the records of ${this.#stage} became fewer while they were read`);
    return parseRecordLine(this.#runFolder, this.#stage, { bytes, number: line + 1 }).records;
  }

  #parse<T>(schema: z.ZodType<T>, record: unknown, line: number): T {
    const parsed = schema.safeParse(record);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const why = `${issue?.path.join('.')}: ${issue?.message}`;
    throw damagedLine(stagePaths(this.#runFolder, this.#stage).records, line + 1, this.#stage, why);
  }
}

/** The records that a stage has emitted so far, in input order; none before it has begun. */
export async function* stageRecords<T>(
  runFolder: string,
  stage: string,
  schema: z.ZodType<T>,
): AsyncGenerator<{ readonly index: number; readonly record: T }> {
  const isFinished = (await readStageFile(runFolder, stage))?.complete === true;
  if (!isFinished && !existsSync(stagePaths(runFolder, stage).records)) return;
  const inputs = await StageInputs.open(runFolder, stage);
  try {
    yield* inputs.read(schema);
  } finally {
    await inputs.close();
  }
}
