import { randomUUID } from 'node:crypto';

/**
 * Pending questions of a process. Every answer names its question: an unknown or repeated one shows that the process
 * is not trustworthy, and its owner ends it.
 */
export class OpenQuestions<Answer> {
  readonly #open = new Map<string, PromiseWithResolvers<Answer>>();
  #ended: Error | undefined;

  get count(): number {
    return this.#open.size;
  }

  /** Reason why no more answers come; undefined while they may. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** @throws what the questions ended with */
  async ask(send: (id: string) => void): Promise<Answer> {
    if (this.#ended) throw this.#ended;
    // A random id cannot be answered before it is asked.
    const id = randomUUID();
    const question = Promise.withResolvers<Answer>();
    this.#open.set(id, question);
    send(id);
    return question.promise;
  }

  /** Returns false for an answer to no pending question. */
  answer(id: string, answer: Answer): boolean {
    const question = this.#open.get(id);
    this.#open.delete(id);
    question?.resolve(answer);
    return question !== undefined;
  }

  /** Rejects all pending and later questions. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const question of this.#open.values()) question.reject(this.#ended);
    this.#open.clear();
  }
}
