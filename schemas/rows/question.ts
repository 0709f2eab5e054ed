import { promptPieces } from './promptCompletion.ts';
import { firstText, type RowCodec, rowOfPieces } from './rowCodec.ts';

const columns = ['question', 'Question', 'problem', 'query', 'prompt', 'task'] as const;

/** Rows that only ask: tasks, benchmarks, and prompts for RL such as verl's. */
export const questionCodec: RowCodec = {
  name: 'question',
  columns: columns.join(', '),
  reads: columns,
  recognises: (raw) => Array.isArray(raw.prompt) || firstText(raw, columns) !== null,
  read(raw) {
    const turns = Array.isArray(raw.prompt) ? promptPieces(raw.prompt) : [];
    if ('problem' in turns) return turns;
    const row = rowOfPieces(raw, 'question', 'nothing', turns);
    return {
      ...row,
      text: null,
      answer: null,
      question: turns.length > 0 ? row.question : firstText(raw, columns),
    };
  },
};
