/** So many at once; who comes when all are taken waits in line. */
export class Slots {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with a slot, which must be given back; rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await this.#inLine(signal);
  }

  /** The slot goes to the first in line, so that nobody who comes later gets in between. */
  giveBack(): void {
    const next = this.#line.shift();
    if (next) next();
    else this.#free += 1;
  }

  #inLine(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#line.splice(this.#line.indexOf(go), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#line.push(go);
    });
  }
}
