import { type FileHandle, open } from 'node:fs/promises';
import type { z } from 'zod';
import { recordLineSchema } from '../../schemas/run/recordLine.ts';
import { UserError } from '../contract/errors.ts';
import { LineIndex } from './lineIndex.ts';
import { readLines } from './readLines.ts';
import { parseLinePrefix } from './stageLog.ts';
import { stagePaths } from './stagePaths.ts';

/**
 * The records that a complete stage emitted, in the order of its inputs, whatever the order in which they were
 * finished. Holds places in the file, never the records.
 */
export class StageInputs {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #lines: LineIndex;
  readonly #order: Uint32Array;
  /** How many records there are. */
  readonly count: number;

  private constructor(path: string, file: FileHandle, lines: LineIndex) {
    this.#path = path;
    this.#file = file;
    this.#lines = lines;
    this.#order = lines.inInputOrder();
    this.count = this.#order.reduce((sum, line) => sum + lines.at(line).count, 0);
  }

  /** Indexes the records of a stage. */
  static async open(runFolder: string, stage: string): Promise<StageInputs> {
    const path = stagePaths(runFolder, stage).records;
    const lines = new LineIndex();
    for await (const { bytes, offset } of readLines(path)) {
      lines.add({ ...parseLinePrefix(bytes), offset, length: bytes.length });
    }
    return new StageInputs(path, await open(path, 'r'), lines);
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
    const buffer = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await this.#file.read(buffer, at, length - at, offset + at);
      if (bytesRead === 0) throw new Error(`${this.#path} became shorter while it was read`);
      at += bytesRead;
    }
    return recordLineSchema.parse(JSON.parse(buffer.toString('utf8'))).records;
  }

  #parse<T>(schema: z.ZodType<T>, record: unknown, line: number): T {
    const parsed = schema.safeParse(record);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new UserError(
      `${this.#path}:${line + 1}: ${issue?.path.join('.')}: ${issue?.message}; was it edited or made by another version? Redo the stage with --from`,
    );
  }
}
