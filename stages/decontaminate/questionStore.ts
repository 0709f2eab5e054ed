import { closeSync, readSync, writeSync } from 'node:fs';
import { openUnnamedFile } from '../../base/files/unnamedFile.ts';
import type { BenchmarkRow } from '../../schemas/contamination.ts';

type FileOfRow = Omit<BenchmarkRow, 'benchmark_row'>;

/** The questions of benchmarks by number: their texts in a temporary file, in memory only where each stands. */
export class QuestionStore {
  readonly #texts = new TextSpool();
  readonly #rows: number[] = [];
  readonly #files: number[] = [];
  readonly #fileNames: FileOfRow[] = [];

  get count(): number {
    return this.#rows.length;
  }

  /** Adds a question; its number is how many there were before. */
  add(question: string, { benchmark_row, ...file }: BenchmarkRow): number {
    this.#rows.push(benchmark_row);
    this.#files.push(this.#fileNumber(file));
    return this.#texts.add(question);
  }

  textOf(number: number): string {
    return this.#texts.read(number);
  }

  placeOf(number: number): BenchmarkRow {
    return { ...this.#fileNames[this.#files[number]!]!, benchmark_row: this.#rows[number]! };
  }

  /** Gives the temporary file back. */
  close(): void {
    this.#texts.close();
  }

  #fileNumber(file: FileOfRow): number {
    const last = this.#fileNames.at(-1);
    const isSame = last?.benchmark === file.benchmark && last.benchmark_file === file.benchmark_file;
    if (!isSame) this.#fileNames.push(file);
    return this.#fileNames.length - 1;
  }
}

const MAX_BUFFERED_BYTES = 1 << 20;

/** Texts in an unnamed temporary file instead of in memory, read again by number. */
export class TextSpool {
  readonly #descriptor = openUnnamedFile();
  /** Where each text begins, and where the last one ends. */
  readonly #starts: number[] = [0];
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #written = 0;

  /** Appends a text; its number is how many there were before. */
  add(text: string): number {
    const bytes = Buffer.from(text);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#starts.push(this.#starts.at(-1)! + bytes.length);
    if (this.#pendingBytes >= MAX_BUFFERED_BYTES) this.#flush();
    return this.#starts.length - 2;
  }

  /** The text of a number. */
  read(number: number): string {
    const start = this.#starts[number]!;
    const bytes = Buffer.allocUnsafe(this.#starts[number + 1]! - start);
    if (start + bytes.length > this.#written) this.#flush();
    let done = 0;
    while (done < bytes.length) {
      const read = readSync(this.#descriptor, bytes, done, bytes.length - done, start + done);
      if (read === 0) throw new Error('the temporary file of benchmark questions was cut');
      done += read;
    }
    return bytes.toString();
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#pending);
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#written + done);
    }
    this.#written += bytes.length;
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
