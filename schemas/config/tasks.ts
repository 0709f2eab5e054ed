import { z } from 'zod';
import { domainSchema } from '../task.ts';
import { type AnswerRule, answerRules } from '../tasks/taskLayout.ts';
import { taskPresetNames } from '../tasks/taskLayouts.ts';
import { inputPath, inputPattern, keyOf, plainText, positiveInt } from './keyMeaning.ts';

const tasksKey = keyOf('tasks');

export const taskSourceConfigSchema = z.strictObject({
  file: tasksKey(
    inputPattern,
    "Tasks: a file of rows (JSONL, JSON, CSV, each also packed as .gz or .zst, parquet, Arrow), a folder of such files, one of Hugging Face's save_to_disk, or a pattern such as data/*.jsonl",
  ),
  profile: tasksKey(
    plainText,
    'Agent profile that solves these tasks: a built-in one such as web, or one declared in profiles',
  ),
  preset: tasksKey(
    z.enum(taskPresetNames).default('generic'),
    'Column layout of the file; generic: the layout that its columns fit, or else question and answer',
  ),
  columns: z
    .strictObject({
      id: tasksKey(plainText.optional(), "Column of the task's own id"),
      question: tasksKey(
        plainText.optional(),
        "Column of the question, or a template of several columns such as '{Body} {Question}'",
      ),
      context: tasksKey(
        plainText.optional(),
        "Column of a text that stands before the question, such as a passage, or a template of several columns such as '{title}: {passage}'",
      ),
      ignore: tasksKey(
        z.array(plainText).optional(),
        'Columns with long text or images that tasks are to be read without',
      ),
      answers: tasksKey(
        plainText.optional(),
        'Column of the right answers: a string, a number, a list of strings, or the JSON text of such a list',
      ),
      aliases: tasksKey(
        plainText.optional(),
        'Column of further right answers, such as the letter of an option that the question writes out',
      ),
      canary: tasksKey(
        plainText.optional(),
        'Column of the text that question and answers are encrypted with (docs/decontamination.md)',
      ),
      data_source: tasksKey(plainText.optional(), 'Column that names where the task comes from'),
      question_id: tasksKey(plainText.optional(), 'Column of the name by which tests_from knows the task'),
      tests: tasksKey(
        plainText.optional(),
        'Column of the tests of a program: {"stdin": [...], "expected_output": [...]}, {"functional": "..."} or another form of docs/tasks.md, as an object or JSON text',
      ),
    })
    .prefault({})
    .describe('Column names where they differ from the preset; dots reach into objects'),
  answers: z
    .strictObject({
      from: tasksKey(
        z.enum(Object.keys(answerRules) as [AnswerRule, ...AnswerRule[]]),
        `How an answer is found in its column: ${Object.entries(answerRules)
          .map(([name, meaning]) => `${name}: ${meaning}`)
          .join('; ')}`,
      ),
    })
    .optional()
    .describe(
      "What of the answers' column is the answer; absent: as the preset says, and rows are refused where none does and the text is a rationale, a Python list or the letter of an option",
    ),
  tests_from: tasksKey(
    inputPath.optional(),
    "File or folder of the programs' hidden tests, by question id: LiveCodeBench's own files, or rows of {question_id, tests}; a task without tests there is unusable",
  ),
  domain: tasksKey(domainSchema.optional(), 'How answers are judged; absent: as the profile says'),
  limit: tasksKey(positiveInt.optional(), 'Most tasks that are read from the file; absent: all'),
});
export type TaskSourceConfig = z.infer<typeof taskSourceConfigSchema>;

/** The `tasks` section. */
export const tasksConfigSchema = z.strictObject({
  on_bad_task: tasksKey(
    z.enum(['fail', 'skip']).default('fail'),
    'Unusable rows: fail stops the run before anything is spent, skip counts them and goes on',
  ),
  sources: z.array(taskSourceConfigSchema).min(1).describe('Files of tasks, in their order'),
});
export type TasksConfig = z.infer<typeof tasksConfigSchema>;
