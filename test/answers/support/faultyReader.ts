/** A process for `IsolatedProcess` that answers as the fault of a question says. */
import { FaultyAnswers, type Question } from './faults.ts';

const answers = new FaultyAnswers<string>(
  (id, value) => process.send!({ id, value }),
  (id) => `${id}x`,
);
process.on('message', ({ id, question }: { readonly id: string; readonly question: Question }) =>
  answers.take(id, question),
);
