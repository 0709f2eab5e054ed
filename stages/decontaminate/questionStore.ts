import { SpillFile } from '../../base/files/spillFile.ts';
import type { BenchmarkRow } from '../../schemas/contamination.ts';

type FileOfRow = Omit<BenchmarkRow, 'benchmark_row'>;

/** The questions of benchmarks by number: their texts in a temporary file, in memory only where each stands. */
export class QuestionStore {
  readonly #texts = new SpillFile();
  /** Where each text begins, and where the last one ends. */
  readonly #starts: number[] = [0];
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
    const bytes = Buffer.from(question);
    this.#starts.push(this.#texts.append(bytes) + bytes.length);
    return this.#rows.length - 1;
  }

  textOf(number: number): string {
    const start = this.#starts[number]!;
    return utf8.decode(this.#texts.read(start, this.#starts[number + 1]! - start));
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

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
