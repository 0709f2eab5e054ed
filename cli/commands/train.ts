import { Option } from 'commander';
import { launcherNames, trainerNames, trainingMethodNames } from '../../schemas/training/jobNames.ts';
import { trainingPresetNames } from '../../schemas/training/presets.ts';
import { Command, renderExamples } from '../command.ts';
import { gathered, wholeNumber } from '../optionParsers.ts';

/** `coa-distill train RUN`, and the commands for jobs that were started. */
export function trainCommand(): Command {
  const command = new Command('train')
    .argument('<run>', 'name under runs/, or the run folder')
    // Options behind a command below belong to that command.
    .enablePositionalOptions();
  addOptions(command);
  const commands = [trainStatusCommand(), trainLogsCommand(), trainStopCommand(), trainResumeCommand()];
  for (const child of commands) command.addCommand(child);
  return command
    .addHelpText('after', help)
    .runs(async () => (await import('../train/trainFromCommandLine.ts')).trainFromCommandLine);
}

function addOptions(command: Command): void {
  command
    .addOption(
      new Option('--method <name>', 'on finished texts, on pairs, or by reinforcement with tools').choices(
        trainingMethodNames,
      ),
    )
    .addOption(new Option('--trainer <name>', 'what trains').choices(trainerNames))
    .addOption(new Option('--launcher <name>', 'where it is started').choices(launcherNames))
    .option('--model <path>', 'model name or folder')
    .addOption(
      new Option('--preset <name>', "published hyper-parameters, in place of the configuration's").choices(
        trainingPresetNames,
      ),
    )
    .option('--job <name>', "folder under train/ in the run folder; default: the method's name")
    .option('--nodes <n>', 'machines', wholeNumber(1))
    .option('--gpus-per-node <n>', 'GPUs of each machine; 0: train on the CPU', wholeNumber(0))
    .option(
      '--set <key=value>',
      "a key of the training section, or of the trainer's own configuration; may be repeated",
      gathered,
      [] as readonly string[],
    )
    .option('--python <path>', "Python of the trainer's environment")
    .option('--config <file>', "take the training section of this file, not the run's")
    .option('--dry-run', 'print the whole plan and what every check says; write and start nothing')
    .option('--render-only', "write the job's files, to be started by hand")
    .option('--detach', "start it, and don't follow it")
    .option('--json', 'print the result as JSON');
}

const help = renderExamples([
  ['coa-distill train quickstart --dry-run', 'the plan: batch, steps, memory, hours'],
  ['coa-distill train quickstart --model models/Qwen2.5-7B-Instruct', 'train on the GPUs of this machine'],
  ['coa-distill train code --preset afm-code-32b --launcher slurm --nodes 2', 'as AFM did, on two machines'],
  ['coa-distill train nq --set epochs=1 --set report_to=wandb', 'WANDB_API_KEY comes from the environment'],
  ['coa-distill train nq --trainer verl --job verl --render-only', 'files to look at and to start by hand'],
  ['coa-distill train nq --method rl --preset afm-mhqa-7b', 'against the tools of coa-distill serve rl'],
  ['coa-distill train nq --method rl --trainer trl-rl --set rl.rollouts=4', 'GRPO on one GPU'],
  ['coa-distill train status nq/sft', 'where it is'],
]);

function trainResumeCommand(): Command {
  return new Command('resume')
    .description('Resume a job from its newest whole checkpoint; follow it again where it still runs')
    .argument('<job>', 'RUN/JOB, or RUN where it has one job')
    .option('--detach', "start it, and don't follow it")
    .option('--json', 'print the result as JSON')
    .examples(['coa-distill train resume quickstart/sft', 'after a crash, a stop, or Ctrl-C'])
    .runs(async () => (await import('../train/resumeFromCommandLine.ts')).resumeFromCommandLine);
}

function trainStatusCommand(): Command {
  return new Command('status')
    .description('Where a job is: step, loss, rate, time left, how it ended')
    .argument('<job>', 'RUN/JOB, or RUN where it has one job')
    .option('--json', 'print it as JSON')
    .examples(['coa-distill train status quickstart', 'also from another terminal'])
    .runs(async () => (await import('../train/printJobStatus.ts')).printJobStatus);
}

function trainStopCommand(): Command {
  return new Command('stop')
    .description('End a job and all its processes; its checkpoints stay')
    .argument('<job>', 'RUN/JOB, or RUN where it has one job')
    .examples(['coa-distill train stop quickstart/sft', 'resume later with train resume'])
    .action(async (name: string) => {
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
    });
}

function trainLogsCommand(): Command {
  return new Command('logs')
    .description('What a job printed')
    .argument('<job>', 'RUN/JOB, or RUN where it has one job')
    .option('--follow', 'keep printing until the job ends')
    .examples(
      ['coa-distill train logs quickstart', 'the end of what it printed'],
      ['coa-distill train logs quickstart/sft --follow', 'and what it prints from now on'],
    )
    .runs(async () => (await import('../train/printJobLogs.ts')).printJobLogs);
}

/** `coa-distill rl`: reinforcement learning with tools. */
export function rlCommand(): Command {
  return new Command('rl').addCommand(checkCommand());
}

function checkCommand(): Command {
  return new Command('check')
    .description(
      'Play a few tasks of an RL dataset on this machine, and print what would be trained, token by token',
    )
    .argument('<what>', 'a run (name or folder), or its dataset folder')
    .option('--model <path>', 'folder of the model to be trained, for its tokenizer; default: training.model')
    .option('--sample', 'let the model sample, on the CPU; default: a script calls a tool and then answers')
    .option('--tasks <n>', 'tasks to play', wholeNumber(1), 3)
    .option('--python <path>', "Python of the trainer's environment; default: training.python, or python3")
    .option('--config <file>', "tools, judges and rewards in place of the run's own")
    .option('--json', 'a line of JSON for each task')
    .examples(
      [
        'coa-distill rl check my-run --model models/sft --python .venv/bin/python',
        'before GPUs are paid for',
      ],
      ['coa-distill rl check my-run --model models/tiny --sample', 'what a small model does with the tools'],
    )
    .runs(async () => (await import('../checkRl.ts')).checkRl);
}
