import { hashedShare } from '../../schemas/hashedShare.ts';
import { foldedText } from '../../schemas/normalForm.ts';

/** Answers by the thing that they name: those that share a spelling are one, whatever the order they come in. */
export class AnswerGroups {
  /** Spelling -> another of its group that sorts before it; the first of a group -> itself. */
  readonly #before = new Map<string, string>();

  add(answers: readonly string[]): void {
    const firsts = answers.map((answer) => this.#firstOf(foldedText(answer))).sort();
    for (const first of firsts) this.#before.set(first, firsts[0]!);
  }

  /** Whether an answer's group belongs to the share of groups that is held out. */
  isHeldOut([answer = '']: readonly string[], seed: number, share: number): boolean {
    return hashedShare('held_out', seed, this.#firstOf(foldedText(answer))) < share;
  }

  #firstOf(spelling: string): string {
    const before = this.#before.get(spelling) ?? spelling;
    return before === spelling ? spelling : this.#firstOf(before);
  }
}
