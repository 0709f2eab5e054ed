import PQueue from 'p-queue';

/** A number of places, each used by one piece of work at a time. */
export interface Slots {
  /** Runs work in the next free place, numbered from 0. Work that is aborted before its turn never begins. */
  use<T>(work: (slot: number) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Waits for all work to end. */
  drained(): Promise<void>;
}

/** Creates `count` places. */
export function createSlots(count: number): Slots {
  const queue = new PQueue({ concurrency: count });
  const free = Array.from({ length: count }, (_, slot) => slot);
  return {
    use: (work, signal) =>
      queue.add(async () => {
        signal.throwIfAborted();
        const slot = free.shift()!;
        try {
          return await work(slot);
        } finally {
          free.push(slot);
        }
      }),
    drained: () => queue.onIdle(),
  };
}
