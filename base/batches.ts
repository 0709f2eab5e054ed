/**
 * Groups calls: all items that come while one batch is under way form the next, so that the rate of round trips does not
 * grow with the rate of calls. Results come in the order of the items.
 *
 * @param send takes a batch, at most `most` items; when it throws, so do the calls of the batch
 * @returns takes an item and resolves to its result
 */
export function createBatches<In, Out>(
  send: (items: readonly In[]) => Promise<readonly Out[]>,
  most: number,
): (item: In) => Promise<Out> {
  const waiting: { readonly item: In; readonly call: PromiseWithResolvers<Out> }[] = [];
  let isUnderWay = false;

  async function sendAll(): Promise<void> {
    isUnderWay = true;
    // One turn of the event loop lets calls that come together share a batch.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      try {
        const results = await send(batch.map(({ item }) => item));
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
