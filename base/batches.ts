import { setTimeout as delay } from 'node:timers/promises';

/**
 * Delays a first start by one turn of the event loop, so that items that arrive together share a batch, and later
 * starts until `everyMs` after the previous one.
 */
export function createPace(everyMs: number): () => Promise<void> {
  let nextMs = 0;
  return async () => {
    const waitMs = nextMs - performance.now();
    await (waitMs > 0 ? delay(waitMs) : new Promise(setImmediate));
    nextMs = performance.now() + everyMs;
  };
}

/**
 * Groups calls: items that arrive while a batch is running, or before the next is due, form the next batch, so that
 * the rate of round trips does not grow with the rate of calls. Results keep the order of the items.
 * @param send takes a batch, at most `most` items; when it throws, so do the calls of the batch
 * @param everyMs least time from the beginning of a batch to that of the next, unless a full one waits when it ends
 * @returns takes an item and resolves to its result
 */
export function createBatches<In, Out>(
  send: (items: readonly In[]) => Promise<readonly Out[]>,
  most: number,
  everyMs = 0,
): (item: In) => Promise<Out> {
  const pace = createPace(everyMs);
  const waiting: { readonly item: In; readonly call: PromiseWithResolvers<Out> }[] = [];
  let isUnderWay = false;

  async function sendAll(): Promise<void> {
    isUnderWay = true;
    while (waiting.length > 0) {
      if (waiting.length < most) await pace();
      const batch = waiting.splice(0, most);
      try {
        const results = await send(batch.map(({ item }) => item));
        if (results.length !== batch.length)
          throw new Error(`${results.length} results for the ${batch.length} items of a batch`);
        for (const [at, { call }] of batch.entries()) call.resolve(results[at]!);
      } catch (error) {
        for (const { call } of batch) call.reject(error);
      }
    }
    isUnderWay = false;
  }

  return (item) => {
    const call = Promise.withResolvers<Out>();
    waiting.push({ item, call });
    if (!isUnderWay) void sendAll();
    return call.promise;
  };
}
