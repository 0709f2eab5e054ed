import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProcesses } from '../../../base/processes/findProcesses.ts';
import type { TrainerName } from '../../../schemas/training/jobNames.ts';
import { type JobRecord, jobRecordSchema, type TrainingCurve } from '../../../schemas/training/jobRecord.ts';
import { TrainingLog } from '../../../training/follow/trainingLog.ts';
import { jsonLines } from '../../cli/support/project.ts';
import { type CliOptions, type CliResult, finished, runCli, startCli } from '../../cli/support/runCli.ts';
import { type ScriptFileOptions, writeAnswerKey } from '../../support/answerKey/answerKeyOf.ts';
import type { WaitOptions } from '../../support/waitUntil.ts';
import { pythonScript, sealedEnvironment, type TrainerEnvironment } from './runPython.ts';
import { writeModelFolder } from './writeModelFolder.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A folder with a run `t` of a few rows of some 300 tokens, and a tiny model. */
export interface TrainingProject {
  readonly folder: string;
  readonly model: string;
}

/** Makes a run by the command line, with a scripted teacher. */
export async function createTrainingProject(
  folder: string,
  rows: number,
  { teacher = '', formats = 'tokenized, verl', sections = '', script = {} as ScriptFileOptions } = {},
): Promise<TrainingProject> {
  const numbers = Array.from({ length: rows }, (_, n) => n);
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write(
    'tasks.jsonl',
    jsonLines(
      numbers.map((n) => ({ id: `q${n}`, question: `Which river is at town ${n}?`, answer: `river ${n}` })),
    ),
  );
  write('passages.jsonl', jsonLines([{ id: '0', contents: '"Town"\nIt is small.' }]));
  write(
    'coa.yaml',
    `tasks: { sources: [{ file: tasks.jsonl, profile: mhqa }] }
teacher: { backend: scripted, script: script.jsonl${teacher} }
tools: { wiki_search: { corpus: passages.jsonl, top_k: 1 } }
filters: { grounding: { drop: false } } # the passage knows no river
dataset: { formats: [${formats}], cutoff_len: 2000 }
${sections}`,
  );
  await writeAnswerKey(path.join(folder, 'coa.yaml'), script);
  const run = await runCli(['run', '--name', 't'], { cwd: folder });
  if (run.code !== 0) throw new Error(run.stderr);
  const model = path.join(folder, 'model');
  await writeModelFolder(model);
  return { folder, model };
}

/** What differs from one job to another. */
export interface JobOptions {
  readonly environment?: TrainerEnvironment;
  /** Default: the environment's. */
  readonly trainer?: TrainerName;
  readonly model?: string;
  /** `key=value` of `--set`. */
  readonly set?: readonly string[];
  readonly args?: readonly string[];
}

/** The Python of a trainer's environment. */
export function trainerPython(environment: TrainerEnvironment): string {
  return path.join(root, `.venv-${environment}`, 'bin/python');
}

/** The arguments of `coa-distill train` for a job on this machine's CPU. */
export function trainArguments(project: TrainingProject, job: string, options: JobOptions = {}): string[] {
  const { environment = 'llamafactory', model = project.model, set = [], args = [] } = options;
  const { trainer = environment === 'llamafactory' ? 'llama-factory' : 'verl' } = options;
  return ['train', 't', '--job', job, '--trainer', trainer, '--model', model]
    .concat(['--set', 'gpus_per_node=0', '--set', `python=${trainerPython(environment)}`])
    .concat(
      ['gradient_accumulation_steps=1', 'lr_scheduler=constant', ...set].flatMap((pair) => ['--set', pair]),
    )
    .concat(args);
}

/** Environment of a command that starts a trainer, and so of the trainer. */
export function trainerEnvironment(
  project: TrainingProject,
  environment: TrainerEnvironment,
): Record<string, string> {
  const home = path.join(project.folder, 'home');
  mkdirSync(home, { recursive: true });
  const node = path.dirname(process.execPath);
  const sealed = sealedEnvironment(path.dirname(trainerPython(environment)), home);
  return {
    ...sealed,
    PATH: `${sealed.PATH}:${node}`,
    ...(environment === 'trainers' && {
      PYTHONPATH: pythonScript(''),
      VERL_USE_EXTERNAL_MODULES: 'verl_cpu_platform',
      VERL_PLATFORM: 'cpu',
      VERL_ENGINE_DEVICE: 'cuda',
    }),
  };
}

/** Starts a command of the command line in a project. */
export function startIn(
  project: TrainingProject,
  args: readonly string[],
  environment: TrainerEnvironment = 'llamafactory',
  { env, through = [] }: Pick<CliOptions, 'through'> & Partial<Pick<CliOptions, 'env'>> = {},
): { readonly child: ChildProcess; readonly ended: Promise<CliResult> } {
  const child = startCli(args, {
    cwd: project.folder,
    env: { ...trainerEnvironment(project, environment), ...env },
    through,
  });
  return { child, ended: finished(child) };
}

/** Absolute. */
export function jobFolder(project: TrainingProject, job: string): string {
  return path.join(project.folder, 'runs/t/train', job);
}

/** The job's `job.json`. */
export function jobRecord(project: TrainingProject, job: string): JobRecord {
  return jobRecordSchema.parse(
    JSON.parse(readFileSync(path.join(jobFolder(project, job), 'job.json'), 'utf8')),
  );
}

/** What a job's metrics say so far. */
export function curveOf(project: TrainingProject, job: string): Promise<TrainingCurve> {
  return new TrainingLog(jobFolder(project, job), jobRecord(project, job)).read();
}

/** Every process of a job, whatever session it moved to. */
export function jobProcesses(project: TrainingProject, job: string): number[] {
  return findProcesses('COA_DISTILL_JOB', jobFolder(project, job))!;
}

/** How something is waited for that a trainer does, which takes its time, while a command follows it. */
export const ofTrainer = (child: ChildProcess): WaitOptions => ({ everyMs: 50, limitMs: 500_000, child });
