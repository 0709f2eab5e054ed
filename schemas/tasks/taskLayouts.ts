import type { JsonValue } from '../../base/json.ts';
import { genericLayout as generic, type TaskLayout } from './taskLayout.ts';

/** Rows of the verl family: a chat in `prompt`, the gold answer in `reward_model.ground_truth`. */
const verl: TaskLayout = {
  ...generic,
  id: ['extra_info.index'],
  question: ['prompt.-1.content'],
  answers: ['reward_model.ground_truth'],
  idWithSource: true,
};

/** Questions over Wikipedia with supporting paragraphs. */
const multiHop: TaskLayout = {
  ...generic,
  id: ['_id', 'id'],
  answers: ['answer'],
  meta: ['context', 'paragraphs'],
};

const starterCode = { heading: 'Starter code:', path: 'starter_code' };

const isThere = (value: JsonValue) => value !== '' && value !== false;

/** Refuses a row that needs a file, an image or a conversation. */
const needs = (path: string, what: string, when: (value: JsonValue) => boolean = isThere) => ({
  path,
  when,
  why: `the task needs ${what}, which a teacher is not given`,
});

/** Column sets by which a layout is recognised. */
const by = (...sets: readonly string[]) => sets.map((set) => set.split(', '));

/** Tests in the layout of APPS and TACO: `input_output` is `{inputs, outputs, fn_name?}` or its JSON text. */
const inputOutput: TaskLayout = {
  ...generic,
  columns: by('question, input_output'),
  id: ['problem_id', 'id'],
  sections: [starterCode, { heading: 'Name of the function:', path: 'input_output.fn_name' }],
  answers: [],
  tests: ['input_output'],
  starter_code: ['starter_code'],
  refusals: [needs('picture_num', 'pictures', (count) => Number(count) > 0)],
  left_out: ['solutions'],
};

/** Mathematics and programs of AFM: the instruction precedes the task, its answer format follows programs. */
const afmTask: TaskLayout = {
  ...verl,
  columns: by('data_source, prompt, reward_model, extra_info.tools_kwargs.code'),
  questionAfter: /\n\nTask:\s/g,
  questionTail: /\n+Answer format: The answer should be a complete python code snippet[\s\S]*$/,
  tests: ['reward_model.ground_truth'],
  func_name: ['extra_info.metadata.func_name'],
  starter_code: ['extra_info.starter_code'],
  question_id: ['reward_model.ground_truth.question_id'],
};

/** Row layouts of published data sets; sources are in `docs/tasks.md`. */
const table = {
  generic,
  flashrag: { ...generic, columns: by('question, golden_answers'), answers: ['golden_answers'] },
  nq: {
    ...generic,
    columns: by('question_text, annotations', 'question, document, annotations'),
    question: ['question_text', 'question.text', 'question'],
    answers: ['answer'],
    meta: ['document', 'document_text'],
  },
  triviaqa: {
    ...generic,
    columns: by(
      'question, question_id, question_source',
      'Question, QuestionId, QuestionSource',
      'question, answer.value, answer.aliases',
    ),
    id: ['question_id', 'QuestionId', 'id'],
    answers: ['answer.value', 'Answer.Value'],
    aliases: ['answer.aliases', 'Answer.Aliases'],
  },
  popqa: {
    ...generic,
    columns: by('question, subj, prop, possible_answers'),
    answers: ['possible_answers'],
  },
  bamboogle: generic,
  hotpotqa: { ...multiHop, columns: by('question, context, supporting_facts, level') },
  '2wikimultihopqa': { ...multiHop, columns: by('question, context, evidences, type') },
  musique: {
    ...multiHop,
    columns: by('question, paragraphs, question_decomposition'),
    aliases: ['answer_aliases'],
    refusals: [needs('answerable', 'facts that its paragraphs lack', (value) => value === false)],
  },
  webwalkerqa: { ...generic, columns: by('question, root_url, info', 'Question, Root_Url, Info') },
  gaia: {
    ...generic,
    columns: by(
      'task_id, Question, Level, Annotator Metadata',
      'task_id, question, Level, Annotator_Metadata',
    ),
    id: ['task_id'],
    answers: ['Final answer', 'answer'],
    refusals: [
      needs('file_name', 'an attachment'),
      {
        path: 'Final answer',
        when: (value) => value === '?',
        why: 'the test split keeps its answers secret',
      },
    ],
  },
  hle: {
    ...generic,
    columns: by('question, answer_type, rationale, raw_subject'),
    refusals: [needs('image', 'an image')],
    left_out: ['image', 'image_preview', 'rationale_image'],
  },
  browsecomp: {
    ...generic,
    columns: by('problem, answer, canary', 'query_id, query, canary', 'Question, Answer, canary'),
    id: ['id', 'query_id'],
    question: ['problem', 'question', 'query', 'Question'],
    isEncrypted: true,
  },
  xbench: { ...generic, columns: by('prompt, answer, canary'), question: ['prompt'], isEncrypted: true },
  aime: { ...generic, columns: by('ID, Problem, Answer'), id: ['ID', 'id'] },
  gsm8k: { ...generic, answersFrom: 'hashes' },
  svamp: {
    ...generic,
    columns: by('Body, Question, Answer', 'body, question, answer'),
    id: ['ID', 'id'],
    question: ['{Body} {Question}', '{body} {question}'],
  },
  agieval: {
    ...generic,
    columns: by('passage, question, options.0, label'),
    context: ['passage'],
    answers: ['label'],
    answersFrom: 'option',
  },
  math: { ...generic, columns: by('problem, solution'), answers: ['solution'], answersFrom: 'boxed' },
  math500: { ...generic, columns: by('problem, solution, answer'), id: ['unique_id', 'id'] },
  olympiadbench: {
    ...generic,
    columns: by('question, final_answer, answer_type'),
    answers: ['final_answer'],
    refusals: [needs('image_1', 'an image')],
    left_out: ['solution', 'image_1', 'image_2', 'image_3', 'image_4', 'image_5'],
  },
  mmlu_pro: {
    ...generic,
    columns: by('question_id, question, options, answer, answer_index'),
    id: ['question_id'],
    answersFrom: 'option',
    data_source: ['src'],
    left_out: ['answer_index', 'cot_content'],
  },
  // Gold answers differ between data sets of this family, so only questions are read.
  verl: {
    ...afmTask,
    columns: by('data_source, prompt, reward_model'),
    questionAfter: /^|\n\nTask:\s/g,
    answers: [],
    tests: [],
  },
  afm_math: afmTask,
  afm_livecodebench: afmTask,
  afm_qa: {
    ...verl,
    columns: by('data_source, prompt, reward_model.ground_truth.target, extra_info.question'),
    question: ['extra_info.question', 'reward_model.ground_truth.question'],
    answers: ['reward_model.ground_truth.target', 'extra_info.answer'],
    // The index already contains the data source. The prompt and the tools' arguments repeat the rest.
    idWithSource: false,
    left_out: ['prompt', 'reward_model', 'extra_info'],
  },
  skywork_or1: { ...verl, tests: ['reward_model.ground_truth'] },
  dapo_math: {
    ...verl,
    // The released file repeats each problem a hundred times.
    id: [],
    questionAfter: /where \$Answer is the answer to the problem\.\n\n/g,
    questionTail: /\n+Remember to put your answer on its own line after "Answer:"\.?\s*$/,
  },
  retool: {
    ...generic,
    question: ['messages.0.content'],
    answers: ['messages.1.content'],
    questionAfter: /\*user question:\*/g,
    questionTail: /\n+Remember to place the final answer in the last part[\s\S]*$/,
    answersFrom: 'answer_tag',
    left_out: ['messages'],
  },
  livecodebench: {
    ...generic,
    columns: by('question_content, question_title, platform'),
    id: ['question_id'],
    question: ['question_content'],
    sections: [starterCode],
    answers: [],
    tests: ['public_test_cases', 'private_test_cases'],
    func_name: ['metadata.func_name'],
    starter_code: ['starter_code'],
    question_id: ['question_id'],
    hasLongTests: true,
  },
  codeforces: {
    ...generic,
    columns: by('description, input_format, output_format, official_tests'),
    question: ['description'],
    sections: [
      { heading: 'Input:', path: 'input_format' },
      { heading: 'Output:', path: 'output_format' },
      { heading: 'Note:', path: 'note' },
    ],
    answers: [],
    tests: ['examples', 'official_tests'],
    refusals: [
      needs(
        'generated_checker',
        'a checker of its own, for it has many right outputs; outputs are compared,',
      ),
      needs('interaction_format', 'a partner to talk to'),
      needs('input_mode', 'files to read and write', (mode) => mode !== 'stdio'),
    ],
    left_out: ['prompt', 'editorial', 'generated_checker'],
  },
  code_contests: {
    ...generic,
    columns: by('description, public_tests, private_tests, generated_tests'),
    id: ['name'],
    question: ['description'],
    answers: [],
    tests: ['public_tests', 'private_tests', 'generated_tests'],
    refusals: [needs('input_file', 'an input file'), needs('output_file', 'an output file')],
    left_out: ['solutions', 'incorrect_solutions', 'public_tests', 'private_tests', 'generated_tests'],
  },
  apps: inputOutput,
  taco: inputOutput,
  humaneval: {
    ...generic,
    columns: by('prompt, test, entry_point'),
    id: ['task_id'],
    question: ['prompt'],
    answers: [],
    tests: ['test'],
    func_name: ['entry_point'],
    starter_code: ['prompt'],
    left_out: ['canonical_solution'],
  },
  leetcode: {
    ...generic,
    columns: by('task_id, query, prompt, test, entry_point'),
    id: ['task_id'],
    question: ['query'],
    answers: [],
    tests: ['test'],
    func_name: ['entry_point'],
    starter_code: ['starter_code'],
    // Imports and classes such as ListNode that programs may use.
    import_prefix: ['prompt'],
    left_out: ['completion', 'response', 'input_output', 'problem_description'],
  },
  mbpp: {
    ...generic,
    columns: by('task_id, test_list'),
    id: ['task_id'],
    question: ['text', 'prompt'],
    // Only the tests name the function.
    sections: [{ heading: 'Your code should pass these tests:', path: 'test_list' }],
    answers: [],
    tests: ['test_list'],
    import_prefix: ['test_imports', 'test_setup_code'],
    left_out: ['code', 'challenge_test_list'],
  },
} satisfies Readonly<Record<string, TaskLayout>>;

/** Names of built-in layouts of task files and benchmarks. */
export type TaskPreset = keyof typeof table;
export const taskPresetNames = Object.keys(table) as [TaskPreset, ...TaskPreset[]];
export const taskLayouts: Readonly<Record<TaskPreset, TaskLayout>> = table;
