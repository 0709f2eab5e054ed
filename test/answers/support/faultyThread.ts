/** A thread of `ThreadPool` that answers as the fault of an item says. */
import { parentPort } from 'node:worker_threads';
import type { ThreadAnswer, ThreadQuestion, ThreadSaid } from '../../../base/threads/threadMessages.ts';
import { FaultyAnswers, type Question } from './faults.ts';

const say = (said: ThreadSaid) => parentPort!.postMessage(said);
const batches = new FaultyAnswers<ThreadQuestion>(
  (items) => say(new Map([...items].map(([number, item]) => [number, answerTo(item as Question)]))),
  (items) => new Map([...items].map(([number, item]) => [number + 1_000, item])),
);
const answerTo = ({ n }: Question): ThreadAnswer => ({ value: 10 * n });

parentPort!.on('message', (items: ReadonlyMap<number, Question>) => {
  const fault = [...items.values()].find((item) => item.fault !== undefined)?.fault;
  const [[first, item] = [0, { n: 0 }]] = items;
  const answers = new Map([...items].map(([number, one]) => [number, answerTo(one)]));
  if (items.size > 1 && fault === 'lost') {
    answers.delete(first);
    say(answers);
  } else if (items.size > 1 && fault === 'shifted') {
    answers.delete(first);
    say(answers.set(first + 1_000, answerTo(item)));
  } else if (items.size > 1 && fault === 'swapped') say(new Map([...answers].toReversed()));
  else batches.take(items, { ...item, fault });
});
say('ready');
