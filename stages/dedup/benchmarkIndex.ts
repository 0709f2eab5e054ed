import type { BenchmarkRow, Contamination } from '../../schemas/contamination.ts';
import { type ReadQuestion, readQuestion, shapesOfRuns } from '../../schemas/question.ts';
import { spaceless } from '../../schemas/words/foldWords.ts';
import { QuestionIndex } from './questionIndex.ts';

const MAX_SHARED_CHARS = 500;
/** Minimum words of a question searched for inside longer texts. */
const MIN_WORDS_INSIDE = 3;

type FileOfRow = Omit<BenchmarkRow, 'benchmark_row'>;

/** Index of benchmark questions, matched by the common rule for equal questions. */
export class BenchmarkIndex {
  readonly #index = new QuestionIndex();
  readonly #rows: number[] = [];
  readonly #files: FileOfRow[] = [];
  /** Question lengths in words, numbers and signs. */
  readonly #lengths = new Set<number>();

  get questions(): number {
    return this.#index.count;
  }

  /** Adds a benchmark's question unless it equals an earlier one. */
  add(question: string, { benchmark_row, ...file }: BenchmarkRow): void {
    const { content } = readQuestion(question);
    if (content.length === 0 || !this.#index.findOrAdd({ question }, content).isNew) return;
    const last = this.#files.at(-1);
    const isSame = last?.benchmark === file.benchmark && last.benchmark_file === file.benchmark_file;
    this.#files.push(isSame ? last : file);
    this.#rows.push(benchmark_row);
    this.#lengths.add(content.length);
  }

  /** Benchmark question that a question equals or contains as whole sentences; undefined if clean. */
  find(question: string): Contamination | undefined {
    const read = readQuestion(question);
    const found = this.#index.find(read.content) ?? this.#findInside(read);
    return found === undefined ? undefined : this.#contamination(found);
  }

  /** Removes the temporary file. */
  close(): void {
    this.#index.close();
  }

  #findInside(read: ReadQuestion): number | undefined {
    const { content } = read;
    const lengths = [...this.#lengths].filter(
      (length) => length >= MIN_WORDS_INSIDE && length < content.length,
    );
    if (lengths.length === 0) return undefined;
    const places = Array.from({ length: content.length + 1 }, (_, at) => at);
    const ends = Uint8Array.from(places, (at) => Number(isApartAfter(read, at)));
    const shapeOf = shapesOfRuns(content);
    for (const start of places) {
      if (!isApartBefore(read, start)) continue;
      for (const length of lengths) {
        const end = start + length;
        if (ends[end] !== 1 || !this.#index.hasShape(shapeOf(start, end))) continue;
        const found = this.#index.find(content.slice(start, end));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #contamination(number: number): Contamination {
    const text = this.#index.asked(number).question.toWellFormed();
    const isLong = text.length > MAX_SHARED_CHARS;
    // Never inside a surrogate pair.
    const shared_text = isLong ? `${text.slice(0, MAX_SHARED_CHARS).toWellFormed()}…` : text;
    return { ...this.#files[number]!, benchmark_row: this.#rows[number]!, shared_text };
  }
}

/**
 * Marks at sentence boundaries; in scripts with spaces, a full stop or colon only before a space or a closing mark.
 */
const sentenceMark = new RegExp(String.raw`[?!;\n\r"“”„«»—。「」『』]|[.:](?=[\s)\]}'$*]|${spaceless})`, 'u');
const capital = /^\p{Lu}/u;

/**
 * True if a sentence may start here: at the start, after a mark, or with a capital. With {@link isApartAfter} `who is
 * the author of Dublin` is not found in `who is the author of Dublin Murders`.
 */
function isApartBefore(read: ReadQuestion, at: number): boolean {
  return at === 0 || sentenceMark.test(gapBefore(read, at)) || beginsCapital(read, at);
}

function isApartAfter(read: ReadQuestion, end: number): boolean {
  if (end === 0 || end === read.content.length || sentenceMark.test(gapBefore(read, end))) return true;
  return beginsCapital(read, end) && !beginsCapital(read, end - 1);
}

function gapBefore({ text, starts, ends }: ReadQuestion, at: number): string {
  return text.slice(ends[at - 1], starts[at]! + 1);
}

function beginsCapital({ text, starts, ends }: ReadQuestion, at: number): boolean {
  return capital.test(text.slice(starts[at], ends[at]));
}
