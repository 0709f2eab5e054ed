/** A resource that must be closed. */
export interface Closeable {
  close(): Promise<void> | void;
}

/** Resources opened during composition, closed in reverse order even after errors. */
export class Resources {
  readonly #open: Closeable[] = [];

  /** Keeps a resource until {@link closeAll}. */
  keep<T extends Closeable>(resource: T): T {
    this.#open.push(resource);
    return resource;
  }

  /** Closes everything, even when closing one of them fails; then throws the first error. */
  async closeAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let resource = this.#open.pop(); resource; resource = this.#open.pop()) {
      try {
        await resource.close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.closeAll();
  }
}
