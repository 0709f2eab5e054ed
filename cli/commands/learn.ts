import { launcherNames, trainerNames, trainingMethodNames } from '../../schemas/training/jobNames.ts';
import { trainingPresetNames } from '../../schemas/training/presets.ts';
import type { CommandFacts, Taken } from '../command.ts';
import { gathered, oneOrMore, positive, repeated } from '../optionParsers.ts';

const job: Taken = { '<job>': 'RUN/JOB, or RUN where it has one job' };

export const commands: Readonly<Record<string, CommandFacts>> = {
  train: {
    arguments: { '<run>': 'name under runs/, or the run folder' },
    options: {
      '--method <name>': [
        'on finished texts, on pairs, or by reinforcement with tools',
        { choices: trainingMethodNames },
      ],
      '--trainer <name>': ['what trains', { choices: trainerNames }],
      '--launcher <name>': ['where it is started', { choices: launcherNames }],
      '--model <path>': 'model name or folder',
      '--preset <name>': [
        "published hyper-parameters, in place of the configuration's",
        { choices: trainingPresetNames },
      ],
      '--job <name>': "folder under train/ in the run folder; default: the method's name",
      '--set <key=value>': [
        "a key of the training section, or of the trainer's own configuration; may be repeated",
        { parse: gathered, default: [] },
      ],
      '--config <file>': "take the training section of this file, not the run's",
      '--dry-run': 'print the whole plan and what every check says; write and start nothing',
      '--render-only': "write the job's files, to be started by hand",
      '--detach': "start it, and don't follow it",
    },
    json: true,
    examples: {
      'coa-distill train quickstart --dry-run': 'the plan: batch, steps, memory, hours',
      'coa-distill train quickstart --model models/Qwen2.5-7B-Instruct': 'train on the GPUs of this machine',
      'coa-distill train code --preset afm-code-32b --launcher slurm --set nodes=2':
        'as AFM did, on two machines',
      'coa-distill train nq --set epochs=1 --set report_to=wandb': 'WANDB_API_KEY comes from the environment',
      'coa-distill train nq --trainer verl --job verl --render-only': 'files to look at and to start by hand',
      'coa-distill train nq --method rl --preset afm-mhqa-7b': 'against the tools of coa-distill serve rl',
      'coa-distill train nq --method rl --trainer trl-rl --set rl.rollouts=4': 'GRPO on one GPU',
      'coa-distill train status nq/sft': 'where it is',
    },
    commands: {
      status: {
        description: 'Where a job is: step, loss, rate, time left, how it ended',
        arguments: job,
        json: true,
        examples: { 'coa-distill train status quickstart': 'also from another terminal' },
        runs: async () => (await import('../train/printJobStatus.ts')).printJobStatus,
      },
      stop: {
        description: 'End a job and all its processes; its checkpoints stay',
        arguments: job,
        examples: { 'coa-distill train stop quickstart/sft': 'resume later with train resume' },
        runs: async () => stopTraining,
      },
      resume: {
        description: 'Resume a job from its newest whole checkpoint; follow it again where it still runs',
        arguments: job,
        options: { '--detach': "start it, and don't follow it" },
        json: true,
        examples: { 'coa-distill train resume quickstart/sft': 'after a crash, a stop, or Ctrl-C' },
        runs: async () => (await import('../train/trainFromCommandLine.ts')).resumeFromCommandLine,
      },
    },
    runs: async () => (await import('../train/trainFromCommandLine.ts')).trainFromCommandLine,
  },
  evaluate: {
    arguments: {
      '[config]': [
        'configuration file with a section evaluation; .env beside it is loaded',
        { default: 'coa.yaml' },
      ],
    },
    options: {
      '--name <name>':
        "evaluation's folder under runs/; default: the configuration's name, with -evaluation behind it where the configuration has tasks of its own",
      '--set <key=value>': ['a setting over that of the configuration; may be repeated', repeated],
      '--limit <n>': ['play at most n tasks of each benchmark', oneOrMore],
      '--model <model>': "the player's model",
      '--serve <checkpoint>':
        'let a checkpoint play: RUN/JOB or a folder; transformers serve runs on this machine for as long as it is asked',
      '--offline': 'answers of models and tools come from the cache alone; a missing one is unscored',
      '--retry <which>':
        'play again what is unscored: failed, failed:CAUSE, the id of a task, or TASK#SAMPLE for one of its samples',
      '--yes': 'continue although a changed configuration makes paid answers stale',
      '--max-cost <usd>': ['US dollars that the evaluation may cost', positive],
      '--dry-run':
        'read every file and look for every key, then print pending work, expected calls and cost; write nothing, send no request',
    },
    json: true,
    examples: {
      'coa-distill evaluate eval.yaml': 'every benchmark of the section evaluation',
      'coa-distill evaluate eval.yaml --dry-run': 'whether everything it needs is there',
      'coa-distill evaluate eval.yaml --model student-2 --name student-2': 'another model on the same tasks',
      'coa-distill evaluate eval.yaml --serve coa/sft': 'the newest checkpoint of a training job',
      'coa-distill compare student-2 student-1': 'who is ahead, and whether it can be chance',
    },
    commands: {
      judge: {
        description: 'Measure a judge of answers against labelled ones: agreement, cost, disagreements',
        arguments: { '[file]': 'JSON lines of {"question", "answers", "prediction", "correct"}' },
        options: {
          '--reviews <run>': 'the labels of people who reviewed this run, in the place of a file',
          '--config <file>': 'configuration whose judge section is measured; the defaults where absent',
          '--set <key=value>': [
            'a setting over the file, for instance judge.min_f1=0.8',
            { parse: gathered, default: [] },
          ],
          '--limit <n>': ['judge at most n rows', oneOrMore],
        },
        json: true,
        examples: {
          'coa-distill evaluate judge labelled.jsonl': 'the rules, at no cost',
          'coa-distill evaluate judge labelled.jsonl --set judge.model.model=gpt-5-mini --limit 50':
            'what a model adds',
          'coa-distill evaluate judge --reviews quickstart': 'the verdicts of view --review',
          'coa-distill evaluate judge labelled.jsonl --config coa.yaml --set judge.votes=3':
            "a run's own judge",
        },
        runs: async () => (await import('../judge/runCalibrate.ts')).runCalibrate,
      },
    },
    runs: async () => (await import('../evaluateFromCommandLine.ts')).evaluateFromCommandLine,
  },
};

async function stopTraining(name: string): Promise<void> {
  const { systemClock } = await import('../../base/systemClock.ts');
  const { lastAttempt } = await import('../../training/jobFolder.ts');
  const { launcherTable } = await import('../../training/launchers/launcherTable.ts');
  const { stopJob } = await import('../../training/closeAttempt.ts');
  const { findJob } = await import('../train/findJob.ts');
  const { runnable } = await import('../programCommand.ts');
  const { jobEndLines } = await import('../train/printJobStatus.ts');
  const found = await findJob(name);
  const control = launcherTable[found.record.plan.launcher].open(systemClock);
  const { record, stopped } = await stopJob(found.folder, control, systemClock);
  const lines = jobEndLines(found.name, lastAttempt(record).end!);
  console.log(runnable(stopped ? lines.join('\n') : `nothing to stop: ${lines.join('\n')}`));
}
