import { z } from 'zod';
import { domainSchema } from '../task.ts';
import { inputPathSchema, inputPatternSchema, plainTextSchema, shapes } from './keyMeaning.ts';

const shapesTasks = shapes('tasks');

/** Layouts of task files that are known by name; `generic` is `{id?, question, answer | answers}`. */
export const taskPresetSchema = z.enum([
  'generic',
  'afm_math',
  'afm_livecodebench',
  'afm_qa',
  'nq',
  'livecodebench',
  'skywork_or1',
  'dapo_math',
  'retool',
  'codeforces',
  'code_contests',
  'hotpotqa',
  '2wikimultihopqa',
  'musique',
  'webwalkerqa',
  'gaia',
  'hle',
  'browsecomp',
]);
export type TaskPreset = z.infer<typeof taskPresetSchema>;

/** One task file and how to read it. */
export const taskSourceConfigSchema = z.strictObject({
  file: inputPatternSchema.meta(
    shapesTasks(
      "Tasks: a file told apart by its ending (JSONL, JSON, CSV, each also packed as .gz or .zst, parquet, Arrow), a folder of such files, one of Hugging Face's save_to_disk, or a pattern such as data/*.jsonl",
    ),
  ),
  profile: plainTextSchema.meta(
    shapesTasks(
      'Agent profile that solves these tasks: a built-in one such as web, or one declared in profiles',
    ),
  ),
  preset: taskPresetSchema.default('generic').meta(shapesTasks('Column layout of the file')),
  columns: z
    .strictObject({
      id: plainTextSchema.optional().meta(shapesTasks("Column of the task's own id")),
      question: plainTextSchema.optional().meta(shapesTasks('Column of the question')),
      answers: plainTextSchema
        .optional()
        .meta(
          shapesTasks(
            'Column of the right answers: a string, a number, a list of strings, or the JSON text of such a list',
          ),
        ),
      data_source: plainTextSchema
        .optional()
        .meta(shapesTasks('Column that names where the task comes from')),
      question_id: plainTextSchema
        .optional()
        .meta(shapesTasks('Column of the name by which tests_from knows the task')),
      tests: plainTextSchema
        .optional()
        .meta(
          shapesTasks(
            'Column of the tests of a program: {"stdin": [...], "expected_output": [...]}, {"functional": "..."} or another form of docs/tasks.md, as an object or JSON text',
          ),
        ),
    })
    .prefault({})
    .describe('Column names where they differ from the preset; dots reach into objects'),
  tests_from: inputPathSchema
    .optional()
    .meta(
      shapesTasks(
        "File or folder of the programs' hidden tests, by question id: LiveCodeBench's own files, or rows of {question_id, tests}; a task without tests there is unusable",
      ),
    ),
  domain: domainSchema.optional().meta(shapesTasks('How answers are judged; absent: as the profile says')),
  limit: z
    .int()
    .positive()
    .optional()
    .meta(shapesTasks('Most tasks that are read from the file; absent: all')),
});
export type TaskSourceConfig = z.infer<typeof taskSourceConfigSchema>;

/** The `tasks` section. */
export const tasksConfigSchema = z.strictObject({
  on_bad_task: z
    .enum(['fail', 'skip'])
    .default('fail')
    .meta(
      shapesTasks('Unusable rows: fail stops the run before anything is spent, skip counts them and goes on'),
    ),
  sources: z.array(taskSourceConfigSchema).min(1).describe('Files of tasks, in their order'),
});
export type TasksConfig = z.infer<typeof tasksConfigSchema>;
