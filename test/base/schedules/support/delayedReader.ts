/** A process for schedules with real processes, which at times fails or ends instead of answering. */
import { answerQuestions } from '../../../../base/isolated/answerQuestions.ts';
import { happens, pause } from './delays.ts';

answerQuestions(async (question: number) => {
  await pause();
  if (happens(8)) process.exit(1);
  if (happens(8)) throw new Error('failed');
  return question;
});
