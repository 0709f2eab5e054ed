import { SpillFile } from '../../base/files/spillFile.ts';
import { hash32 } from '../../base/hash32.ts';
import {
  answerSet,
  haveOtherAnswers,
  isLong,
  readQuestion,
  sameQuestion,
  shapeOf,
} from '../../schemas/question.ts';

/** A question with further criteria of sameness. */
export interface AskedQuestion {
  readonly question: string;
  /** Questions of different groups are never the same. */
  readonly group?: string;
  /** Gold answers; empty or absent: unknown. */
  readonly answers?: readonly string[];
}

/** Maximum comparisons per question. */
const MAX_COMPARED = 32;
/** Size of the word table, a power of two; words that share an entry count as frequent. */
const WORD_PLACES = 1 << 22;

/**
 * Finds equal and misspelled questions, see {@link sameQuestion}. Memory holds a hash and three numbers per question;
 * texts are in a temporary file and read back for matching hashes.
 */
export class QuestionIndex {
  readonly #texts: SpillFile;
  /** Start of each text in the file, and the end of the last. */
  readonly #starts: number[] = [0];
  /** Last question per shape, and for each question its predecessor; 0: none, otherwise number + 1. */
  readonly #last = new Map<number, number>();
  readonly #before: number[] = [];
  /** Number of questions with each long word, up to 2. */
  readonly #words = new Uint8Array(WORD_PLACES);

  /** @param spillFolder - Folder of the temporary file; absent: the system's. */
  constructor(spillFolder?: string) {
    this.#texts = new SpillFile(spillFolder);
  }

  get count(): number {
    return this.#before.length;
  }

  /** Number of the first equal question, from 0; adds the question if there is none. */
  findOrAdd(asked: AskedQuestion, content = readQuestion(asked.question).content) {
    const shape = shapeOf(content, asked.group);
    const found = this.#find(asked, content, shape);
    // Words of a dropped question count too, so that both of two similar words become known.
    for (const word of content) if (isLong(word)) this.#countWord(word);
    if (found !== undefined) return { number: found, isNew: false };
    const bytes = Buffer.from(JSON.stringify(asked));
    this.#starts.push(this.#texts.append(bytes) + bytes.length);
    this.#before.push(this.#last.get(shape) ?? 0);
    this.#last.set(shape, this.count);
    return { number: this.count - 1, isNew: true };
  }

  /** Number of the first equal question without group. */
  find(content: readonly string[]): number | undefined {
    return this.#find({}, content, shapeOf(content));
  }

  /** True if a question of this shape was added, see {@link shapeOf}. */
  hasShape(shape: number): boolean {
    return this.#last.has(shape);
  }

  asked(number: number): AskedQuestion {
    const start = this.#starts[number]!;
    const bytes = this.#texts.read(start, this.#starts[number + 1]! - start);
    return JSON.parse(utf8.decode(bytes)) as AskedQuestion;
  }

  /** Removes the temporary file. */
  close(): void {
    this.#texts.close();
  }

  /** First equal question, otherwise the first misspelled one. */
  #find(
    { group, answers = [] }: Omit<AskedQuestion, 'question'>,
    content: readonly string[],
    shape: number,
  ): number | undefined {
    let equal: number | undefined;
    let misspelled: number | undefined;
    let next = this.#last.get(shape) ?? 0;
    for (let compared = 0; next > 0 && compared < MAX_COMPARED; compared++) {
      const number = next - 1;
      next = this.#before[number]!;
      const other = this.asked(number);
      if (other.group !== group) continue;
      const spellings = sameQuestion(readQuestion(other.question).content, content);
      if (spellings?.length === 0) equal = number;
      else if (
        spellings &&
        this.#isSlip(spellings) &&
        !haveOtherAnswers(answerSet(other.answers ?? []), answerSet(answers))
      )
        misspelled = number;
    }
    return equal ?? misspelled;
  }

  /** False for two words that both occur in other questions: they are not spellings of one word. */
  #isSlip([known, other]: readonly string[]): boolean {
    return this.#uses(known!) < 2 || this.#uses(other!) === 0;
  }

  #countWord(word: string): void {
    const place = placeOf(word);
    if (this.#words[place]! < 2) this.#words[place]!++;
  }

  #uses(word: string): number {
    return this.#words[placeOf(word)]!;
  }
}

const utf8 = new TextDecoder();

function placeOf(word: string): number {
  return hash32(word) & (WORD_PLACES - 1);
}
