import { parentPort, workerData } from 'node:worker_threads';
import { type OpenWork, type ThreadAnswer, thrownInThread, type WorkOn } from './threadMessages.ts';

/**
 * Makes this thread one of `ThreadPool`: it opens the work, says so by an answer without items, then answers batches of
 * items, in order.
 */
export function serveWork<Settings, Item, Result>(open: OpenWork<Settings, Item, Result>): void {
  const opening = (async () => open(workerData as Settings))();
  // What it throws is thrown to the items.
  const isReady = () => parentPort!.postMessage([] satisfies ThreadAnswer[]);
  opening.then(isReady, isReady);
  /** Settles when the batches that came so far are answered. */
  let turn = Promise.resolve();
  parentPort!.on('message', (items: Item[]) => {
    turn = turn.then(async () => parentPort!.postMessage(await answersTo(items, opening)));
  });
}

async function answersTo<Item, Result>(
  items: readonly Item[],
  opening: Promise<WorkOn<Item, Result>>,
): Promise<ThreadAnswer[]> {
  const answers: ThreadAnswer[] = [];
  for (const item of items) {
    try {
      const workOn = await opening;
      answers.push({ value: await workOn(item) });
    } catch (error) {
      answers.push(thrownInThread(error));
    }
  }
  return answers;
}
