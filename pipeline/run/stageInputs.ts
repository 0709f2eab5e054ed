import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { z } from 'zod';
import type { Bitset } from '../../base/bitset.ts';
import { openPlain } from '../../base/files/plainFile.ts';
import { GrowingColumn } from '../../base/growingColumn.ts';
import { missingLines } from '../../base/parseStored.ts';
import { LineIndex, type LinePlace } from './lineIndex.ts';
import { ReadAhead } from './readAhead.ts';
import { readStageFile, stagePaths } from './stageFiles.ts';
import { damagedLine, parseRecordLine, readRecordLines } from './stageJournals.ts';
import type { RecordInputs } from './stageRunner.ts';

interface StageInputsOptions {
  /**
   * True if a record's index is that of the input it was made of, which is known while that stage is still running (one
   * record per input). Default: false, the index among all emitted records.
   */
  readonly isSparse?: boolean;
  /** True while the stage is still running: readers wait for further records. Default: false. */
  readonly isGrowing?: boolean;
  /** Indexes of selected records of a finished stage. Default: all. */
  readonly chosen?: Bitset;
}

/**
 * Records emitted by a stage: existing ones in input order, then new ones as they arrive. Holds file positions, never
 * records. Supports one reader at a time.
 */
export class StageInputs implements RecordInputs {
  readonly #runFolder: string;
  readonly #stage: string;
  readonly #file: FileHandle;
  readonly #bytes: ReadAhead;
  readonly #lines: LineIndex;
  /** Selected initial lines in input order, and the index of each one's first record. */
  readonly #order: Uint32Array;
  readonly #places: Uint32Array;
  /** Number of initial lines. */
  readonly #found: number;
  readonly #isSparse: boolean;
  #isGrowing: boolean;
  #count = 0;
  #wake: (() => void) | undefined;
  /** Input -> line number plus one; built on first use. */
  #lineOfInput: GrowingColumn<Uint32Array> | undefined;

  private constructor(
    { runFolder, stage }: { readonly runFolder: string; readonly stage: string },
    file: FileHandle,
    lines: LineIndex,
    { isSparse = false, isGrowing = false, chosen }: StageInputsOptions,
  ) {
    this.#runFolder = runFolder;
    this.#stage = stage;
    this.#file = file;
    this.#bytes = new ReadAhead(file);
    this.#lines = lines;
    this.#found = lines.size;
    this.#isSparse = isSparse;
    this.#isGrowing = isGrowing;
    const order = lines.inInputOrder();
    const places = this.#placesOf(order);
    const goesIn = (_: number, nth: number) => chosen === undefined || chosen.has(places[nth]!);
    this.#order = order.filter(goesIn);
    this.#places = places.filter(goesIn);
    this.#count = this.#order.reduce((sum, line) => sum + lines.at(line).count, 0);
  }

  /**
   * Indexes the records that a stage has emitted so far.
   *
   * @throws UserError if a line is damaged, or lines of a finished stage are missing
   */
  static async open(
    runFolder: string,
    stage: string,
    options: StageInputsOptions = {},
  ): Promise<StageInputs> {
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
    return new StageInputs(
      { runFolder, stage },
      await openPlain(records, { within: runFolder }),
      lines,
      options,
    );
  }

  get count(): number {
    return this.#count;
  }

  add(place: LinePlace): void {
    this.#lineOfInput?.set(place.index, this.#lines.size + 1);
    this.#lines.add(place);
    this.#count += place.count;
    this.#wake?.();
  }

  /** Ends the stream; nothing is added afterwards. */
  end(): void {
    this.#isGrowing = false;
    this.#wake?.();
  }

  /**
   * Streams records with their indexes, except those for which `skip` is true: initial records in index order, then the
   * others as they arrive.
   *
   * @throws UserError if a record does not fit the schema
   */
  async *read<T>(
    schema: z.ZodType<T>,
    skip: (index: number) => boolean = () => false,
  ): AsyncGenerator<{ index: number; record: T }> {
    const added = this.#found - this.#order.length;
    let read = 0;
    for (let nth = 0; nth < this.#order.length || (await this.#isThere(nth + added)); nth++) {
      const line = this.#order[nth] ?? nth + added;
      const { count, index } = this.#lines.at(line);
      const first = this.#places[nth] ?? (this.#isSparse ? index : read);
      const wanted = Array.from({ length: count }, (_, at) => !skip(first + at));
      if (wanted.includes(true)) {
        const records = await this.#recordsOf(line);
        for (const [at, record] of records.entries()) {
          if (wanted[at]) yield { index: first + at, record: this.#parse(schema, record, line) };
        }
      }
      read += count;
    }
  }

  /**
   * Reads the record at an index, with read-ahead for the following ones.
   *
   * @throws UserError if the record does not fit the schema
   */
  async recordAt<T>(schema: z.ZodType<T>, place: number): Promise<T> {
    const nth = this.#lineOf(place);
    const line = this.#order[nth]!;
    const records = await this.#recordsOf(line);
    return this.#parse(schema, records[place - this.#places[nth]!], line);
  }

  /** Indexes of the initial records in order. */
  *places(): Generator<number> {
    for (const [nth, line] of this.#order.entries()) {
      const { count } = this.#lines.at(line);
      for (let at = 0; at < count; at++) yield this.#places[nth]! + at;
    }
  }

  /** Last ordered line that begins at or before an index. */
  #lineOf(place: number): number {
    let [low, high] = [0, this.#order.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#places[middle]! <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * Reads the record made of an input, for stages with at most one record per input. No read-ahead.
   *
   * @throws UserError if the record does not fit the schema
   */
  async recordOfInput<T>(schema: z.ZodType<T>, index: number): Promise<T> {
    if (!this.#lineOfInput) {
      this.#lineOfInput = new GrowingColumn(Uint32Array);
      for (let line = 0; line < this.#lines.size; line++)
        this.#lineOfInput.set(this.#lines.at(line).index, line + 1);
    }
    const line = this.#lineOfInput.at(index) - 1;
    if (line < 0) throw new Error(`${this.#stage} made no record of its input ${index}`);
    const [record] = await this.#recordsOf(line, new ReadAhead(this.#file, 0));
    return this.#parse(schema, record, line);
  }

  /** Index of the first record of each line, in input order. */
  #placesOf(order: Uint32Array): Uint32Array {
    let start = 0;
    return order.map((line) => {
      const { index, count } = this.#lines.at(line);
      const first = start;
      start += count;
      return this.#isSparse ? index : first;
    });
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Waits for a line; false if it will never arrive. */
  async #isThere(line: number): Promise<boolean> {
    while (this.#isGrowing && line >= this.#lines.size) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    return line < this.#lines.size;
  }

  async #recordsOf(line: number, from = this.#bytes): Promise<readonly unknown[]> {
    const { offset, length } = this.#lines.at(line);
    const bytes = await from.read(offset, length);
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

/** Streams the records emitted so far in input order. */
export async function* stageRecords<T>(
  runFolder: string,
  stage: string,
  schema: z.ZodType<T>,
): AsyncGenerator<{ readonly index: number; readonly record: T }> {
  const isFinished = (await readStageFile(runFolder, stage))?.complete === true;
  if (!isFinished && !existsSync(stagePaths(runFolder, stage).records)) return;
  await using inputs = await StageInputs.open(runFolder, stage);
  yield* inputs.read(schema);
}
