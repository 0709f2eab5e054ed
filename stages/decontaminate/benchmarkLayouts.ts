import { type BenchmarkPreset, benchmarkPresetNames } from '../../schemas/config/decontaminate.ts';

/** Where the question of a benchmark's rows stands. */
export interface BenchmarkLayout {
  /** Path of the question's column. */
  readonly question: string;
  /** Columns that must be there for the layout to be recognised without being named; the question's own is one. */
  readonly columns: readonly string[];
  /** The question is XOR-encrypted under the SHA-256 of this column's text. */
  readonly canary?: string;
  /** The question stands in AFM's user turn, after its instruction. */
  readonly inTurn?: true;
}

/** AFM's parquet files of AIME, MATH-500 and LiveCodeBench: a chat whose last turn is AFM's instruction and the task. */
const afm = {
  question: 'prompt.-1.content',
  columns: ['data_source', 'prompt', 'reward_model'],
  inTurn: true,
} as const;

/**
 * The layouts in which each benchmark is published: by its authors, on the Hugging Face hub, and for NQ, HotpotQA,
 * 2WikiMultihopQA, MuSiQue, Bamboogle, PopQA and TriviaQA also in FlashRAG's (`golden_answers`).
 */
const layouts: Readonly<Record<BenchmarkPreset, readonly BenchmarkLayout[]>> = {
  gaia: [{ question: 'Question', columns: ['task_id', 'Question', 'Level', 'Annotator Metadata'] }],
  hle: [{ question: 'question', columns: ['question', 'answer_type', 'rationale', 'raw_subject'] }],
  browsecomp: [
    { question: 'problem', columns: ['problem', 'answer', 'canary'], canary: 'canary' },
    { question: 'query', columns: ['query_id', 'query', 'canary'], canary: 'canary' },
    { question: 'Question', columns: ['Question', 'Answer', 'canary'], canary: 'canary' },
  ],
  web_walker: [
    { question: 'question', columns: ['question', 'root_url', 'info'] },
    { question: 'Question', columns: ['Question', 'Root_Url', 'Info'] },
  ],
  aime: [
    { question: 'Problem', columns: ['ID', 'Problem', 'Answer'] },
    { question: 'problem', columns: ['problem', 'answer', 'year'] },
    { question: 'problem', columns: ['id', 'problem', 'answer'] },
    { question: 'question', columns: ['question', 'answer'] },
    afm,
  ],
  math_500: [
    { question: 'problem', columns: ['problem', 'answer', 'subject', 'level', 'unique_id'] },
    { question: 'problem', columns: ['problem', 'solution'] },
    { question: 'problem', columns: ['problem'] },
    afm,
  ],
  live_code_bench: [
    { question: 'question_content', columns: ['question_content', 'question_title', 'platform'] },
    afm,
  ],
  pop_qa: [
    { question: 'question', columns: ['question', 'subj', 'prop', 'possible_answers'] },
    { question: 'question', columns: ['question', 'golden_answers'] },
  ],
  musique: [
    { question: 'question', columns: ['question', 'paragraphs', 'question_decomposition'] },
    { question: 'question', columns: ['question', 'golden_answers'] },
  ],
  two_wiki: [
    { question: 'question', columns: ['question', 'context', 'evidences', 'type'] },
    { question: 'question', columns: ['question', 'golden_answers'] },
  ],
  hotpot_qa: [
    { question: 'question', columns: ['question', 'context', 'supporting_facts', 'level'] },
    { question: 'question', columns: ['question', 'golden_answers'] },
  ],
  trivia_qa: [
    { question: 'question', columns: ['question', 'question_id', 'question_source'] },
    { question: 'Question', columns: ['Question', 'QuestionId', 'QuestionSource'] },
    { question: 'question', columns: ['question', 'golden_answers'] },
  ],
  bamboogle: [
    { question: 'Question', columns: ['Question', 'Answer'] },
    { question: 'question', columns: ['question', 'golden_answers'] },
  ],
  nq: [
    { question: 'question_text', columns: ['question_text', 'annotations'] },
    { question: 'question.text', columns: ['question', 'document', 'annotations'] },
    { question: 'question', columns: ['question', 'golden_answers'] },
    { question: 'question', columns: ['question', 'answer'] },
    { question: 'question', columns: ['question'] },
  ],
};

/** The layouts of a preset; of all presets, those with the most columns first, where none is named. */
export function layoutsOf(preset: BenchmarkPreset | undefined): readonly BenchmarkLayout[] {
  if (preset !== undefined) return layouts[preset];
  const all = benchmarkPresetNames.flatMap((name) => layouts[name]);
  return all.toSorted((a, b) => b.columns.length - a.columns.length);
}

/**
 * The task in a chat turn of AFM's files: what follows AFM's own instruction, which is the same in all rows, and goes
 * before its answer format. Other text is given back as it is.
 */
export function taskInTurn(turn: string): string {
  const marked = taskMark.exec(turn);
  if (!marked) return turn;
  const task = turn.slice(marked.index + marked[0].length);
  const format = task.lastIndexOf(answerFormat);
  return (format < 0 ? task : task.slice(0, format)).trim();
}

const taskMark = /\n\nTask:\s/;
const answerFormat = '\nAnswer format: The answer should be a complete python code snippet';
