/** A process for `createPageReader` that reads no page, and answers as the fault in the HTML says. */
import type { PageQuestion } from '../../../tools/crawlPage/pageReaderProcess.ts';
import { FaultyAnswers, type Question } from './faults.ts';

const say = (id: string, value: unknown) => process.send!({ id, value });
const answers = new FaultyAnswers<string>(
  (id, value) => say(id, { ok: true, cut: false, title: '', text: String(value) }),
  (id) => `${id}x`,
);
process.on('message', ({ id, question }: { readonly id: string; readonly question: PageQuestion }) => {
  if ('load' in question) say(id, null);
  else if (question.kind !== 'pdf') answers.take(id, JSON.parse(question.html) as Question);
});
