import { randomUUID } from 'node:crypto';

/**
 * Questions that a process was asked and has not answered. Every answer names its question: one to a question that was
 * not asked, or came twice, shows that the process can't be trusted any more, and its owner ends it.
 */
export class OpenQuestions<Answer> {
  readonly #open = new Map<string, PromiseWithResolvers<Answer>>();
  #ended: Error | undefined;

  get count(): number {
    return this.#open.size;
  }

  /** Why there are no more answers; undefined while there may be. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** @throws what the questions ended with */
  async ask(send: (id: string) => void): Promise<Answer> {
    if (this.#ended) throw this.#ended;
    // No answer to it can be written before it is asked.
    const id = randomUUID();
    const question = Promise.withResolvers<Answer>();
    this.#open.set(id, question);
    send(id);
    return question.promise;
  }

  /** Returns false for an answer that belongs to no open question. */
  answer(id: string, answer: Answer): boolean {
    const question = this.#open.get(id);
    this.#open.delete(id);
    question?.resolve(answer);
    return question !== undefined;
  }

  /** Rejects all that are open, and all that follow. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const question of this.#open.values()) question.reject(this.#ended);
    this.#open.clear();
  }
}
