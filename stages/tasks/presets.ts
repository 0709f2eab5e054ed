import type { TaskPreset, TaskSourceConfig } from '../../schemas/config/tasks.ts';

/** Where a task's parts stand in a row. Each part has the paths that are tried in turn. */
export interface TaskLayout {
  readonly id: readonly string[];
  readonly question: readonly string[];
  readonly answers: readonly string[];
  readonly data_source: readonly string[];
  readonly tests: readonly string[];
  /** Where it stands apart from the tests. */
  readonly func_name: readonly string[];
  /** Where it stands apart from the tests. */
  readonly starter_code: readonly string[];
  /** The question is what follows the last of these in its column; undefined takes the column whole. */
  readonly questionAfter: string | undefined;
  /** Cut from the question: an instruction of the data set about its own answer format. */
  readonly questionTail: RegExp | undefined;
  /** Ids count from 0 in each file, so the data source goes in front. */
  readonly idWithSource: boolean;
}

const generic: TaskLayout = {
  id: ['id'],
  question: ['question'],
  answers: ['answers', 'answer'],
  data_source: ['data_source'],
  tests: ['tests'],
  func_name: [],
  starter_code: [],
  questionAfter: undefined,
  questionTail: undefined,
  idWithSource: false,
};

/** AFM's parquet files: a chat in `prompt`, whose last turn is AFM's own instruction and then the task. */
const afm: TaskLayout = {
  ...generic,
  id: ['extra_info.index'],
  question: ['prompt.-1.content'],
  answers: ['reward_model.ground_truth'],
  idWithSource: true,
};

const layouts: Readonly<Record<TaskPreset, TaskLayout>> = {
  generic,
  nq: { ...generic, answers: ['answer'] },
  afm_math: { ...afm, questionAfter: '\n\nTask:\n' },
  afm_livecodebench: {
    ...afm,
    answers: [],
    tests: ['reward_model.ground_truth'],
    func_name: ['extra_info.metadata.func_name'],
    starter_code: ['extra_info.starter_code'],
    questionAfter: '\n\nTask: ',
    // One and the same paragraph in all rows: AFM's answer format, which our profile's instruction states itself.
    questionTail: /\n+Answer format: The answer should be a complete python code snippet[\s\S]*$/,
  },
};

/** The rules about the text of a preset's own question column do not hold for another column. */
const wholeQuestion = { questionAfter: undefined, questionTail: undefined };

/** The layout of a preset with the configuration's own columns in the place of the preset's. */
export function taskLayout(preset: TaskPreset, columns: TaskSourceConfig['columns']): TaskLayout {
  const layout = layouts[preset];
  const named = Object.entries(columns).filter(([, path]) => path !== undefined);
  return {
    ...layout,
    ...Object.fromEntries(named.map(([part, path]) => [part, [path]])),
    ...(columns.question === undefined ? {} : wholeQuestion),
    idWithSource: layout.idWithSource && columns.id === undefined,
  };
}
