/**
 * What a process, a thread or a server does wrong with the question that carries the fault. Answers are otherwise ten times
 * the number that is asked.
 */
export const faults = ['lost', 'twice', 'again_later', 'not_asked', 'swapped', 'late', 'shifted'] as const;

export interface Question {
  readonly n: number;
  readonly fault?: (typeof faults)[number] | undefined;
}

/** Answers questions that come one after another, and does what the fault of one of them says. */
export class FaultyAnswers<Id> {
  readonly #say: (id: Id, value: number) => void;
  readonly #otherThan: (id: Id) => Id;
  #before: { readonly id: Id; readonly value: number } | undefined;
  #held: (() => void)[] = [];

  /** @param otherThan gives an id that no question has */
  constructor(say: (id: Id, value: number) => void, otherThan: (id: Id) => Id) {
    this.#say = say;
    this.#otherThan = otherThan;
  }

  take(id: Id, { n, fault }: Question): void {
    const say = () => this.#say(id, 10 * n);
    const held = this.#held.splice(0);
    if (fault === 'lost') return;
    if (fault === 'swapped') this.#held.push(say);
    else if (fault === 'late') setTimeout(say, 50);
    else if (fault === 'shifted') this.#say(this.#before?.id ?? id, 10 * n);
    else {
      if (fault === 'not_asked') this.#say(this.#otherThan(id), 7);
      if (fault === 'again_later' && this.#before) this.#say(this.#before.id, this.#before.value);
      say();
      if (fault === 'twice') say();
    }
    for (const sayHeld of held) sayHeld();
    this.#before = { id, value: 10 * n };
  }
}
