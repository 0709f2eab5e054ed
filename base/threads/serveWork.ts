import { parentPort, workerData } from 'node:worker_threads';
import {
  type OpenWork,
  type ThreadAnswer,
  type ThreadQuestion,
  type ThreadSaid,
  thrownInThread,
  type WorkOn,
} from './threadMessages.ts';

/** Turns this thread into one of `ThreadPool`: opens the work, then answers questions in order. */
export function serveWork<Settings, Item, Result>(open: OpenWork<Settings, Item, Result>): void {
  const say = (said: ThreadSaid) => parentPort!.postMessage(said);
  const opening = (async () => open(workerData as Settings))();
  // An error is thrown to the items.
  const isReady = () => say('ready');
  opening.then(isReady, isReady);
  /** Settles when all questions so far are answered. */
  let turn = Promise.resolve();
  parentPort!.on('message', (items: ThreadQuestion) => {
    turn = turn.then(async () => say(await answersTo(items as ReadonlyMap<number, Item>, opening)));
  });
}

async function answersTo<Item, Result>(
  items: ReadonlyMap<number, Item>,
  opening: Promise<WorkOn<Item, Result>>,
): Promise<ReadonlyMap<number, ThreadAnswer>> {
  const answers = new Map<number, ThreadAnswer>();
  for (const [number, item] of items) {
    try {
      const workOn = await opening;
      answers.set(number, { value: await workOn(item) });
    } catch (error) {
      answers.set(number, thrownInThread(error));
    }
  }
  return answers;
}
