/**
 * Threads and processes that take no time to start, and do by the seed what real ones do at times: end, fail, say what they
 * were not asked. Each holds a timer, as a real one holds a handle, so that only what is referred to keeps this process alive.
 */
import { EventEmitter } from 'node:events';
import { below, happens } from './delays.ts';

const FOREVER_MS = 2 ** 31 - 1;

/** Time that passes outside of this process: it does not keep it alive. */
async function elsewhere(percent = 20): Promise<void> {
  if (!happens(percent)) return;
  await new Promise((resolve) => setTimeout(resolve, below(2)).unref());
}

/** What has ended says nothing more; what is on its way comes in order. */
class Simulated extends EventEmitter {
  readonly #handle = setInterval(() => {}, FOREVER_MS);
  #turn: Promise<void> = Promise.resolve();
  hasEnded = false;

  ref(): void {
    if (!this.hasEnded) this.#handle.ref();
  }

  unref(): void {
    this.#handle.unref();
  }

  /** Emits an event after those before it. */
  protected later(emit: () => void, percent?: number): void {
    this.#turn = this.#turn
      .then(() => elsewhere(percent))
      .then(() => {
        if (!this.hasEnded) emit();
      });
  }

  protected end(...ending: [event: string, ...args: unknown[]]): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    clearInterval(this.#handle);
    this.emit(...ending);
  }
}

/** The settings of a work whose threads are simulated. */
export interface ThreadFate {
  /** Of 100 threads, so many fail to open the work. */
  readonly failsToOpen: number;
  /** Of 100 batches, so many end their thread. */
  readonly ends: number;
}

export class SimulatedWorker extends Simulated {
  readonly #fate: ThreadFate;

  constructor(_module: URL, { workerData }: { readonly workerData: ThreadFate }) {
    super();
    this.#fate = workerData;
    this.later(() => {
      if (happens(this.#fate.failsToOpen)) this.#break();
      else this.emit('message', 'ready');
    }, 80);
  }

  postMessage(question: ReadonlyMap<number, { readonly n: number; readonly fails: boolean }>): void {
    const items = structuredClone(question);
    this.later(() => {
      if (happens(this.#fate.ends)) return this.#break();
      const answers = new Map(
        items.entries().map(([number, { n, fails }]) => {
          const answer = fails ? { thrown: new Error('failed'), isUserError: false } : { value: 10 * n };
          return [number, answer] as const;
        }),
      );
      // Another's answer: the pool has to end this thread.
      if (happens(this.#fate.ends)) answers.set(-1, { value: 0 });
      this.emit('message', answers);
    });
  }

  async terminate(): Promise<void> {
    if (this.hasEnded) return;
    this.ref();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.once('exit', () => resolve());
    // Its last words may come before.
    void elsewhere(80).then(() => this.end('exit', 1));
    await promise;
  }

  #break(): void {
    if (happens(50)) this.emit('error', new Error('the thread failed'));
    this.later(() => this.end('exit', 1));
  }
}

/** A process that gives up to five batches of rows, as `fork` starts one. */
export class SimulatedChild extends Simulated {
  readonly channel = { ref: () => this.ref(), unref: () => this.unref() };
  #batches = below(6);
  #rows = 0;

  constructor() {
    super();
    if (happens(3)) this.later(() => this.end('error', new Error('spawn EAGAIN')));
  }

  send({ id }: { readonly id: string }, onSent: (error: Error | null) => void): void {
    if (this.hasEnded) {
      process.nextTick(onSent, new Error('channel closed'));
      return;
    }
    process.nextTick(onSent, null);
    this.later(() => this.#answer(id));
  }

  kill(signal: NodeJS.Signals): void {
    void elsewhere().then(() => this.end('exit', null, signal));
  }

  #answer(id: string): void {
    const fate = below(100);
    if (fate < 3) this.end('exit', ...(happens(50) ? [1, null] : [null, 'SIGVTALRM']));
    else if (fate < 6) this.emit('message', { id, problem: 'it is damaged' });
    else if (fate < 8) this.emit('message', { id: `x${id}`, value: undefined });
    else this.emit('message', { id, value: this.#batch() });
    if (fate === 8) this.emit('message', { id, value: undefined });
  }

  #batch() {
    if (this.#batches-- <= 0) return undefined;
    const rows = Array.from({ length: 1 + below(20) }, () => ({ n: ++this.#rows }));
    return { rows, bytesRead: this.#rows };
  }
}
