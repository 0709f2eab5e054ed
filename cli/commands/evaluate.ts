import { Option } from 'commander';
import type { CalibratedJudge } from '../../schemas/judgeCalibration.ts';
import { Command } from '../command.ts';
import { decimalNumber, gathered, wholeNumber } from '../optionParsers.ts';

/** `coa-distill evaluate CONFIG`, and the comparison of two evaluations. */
export function evaluateCommand(): Command {
  const command = new Command('evaluate')
    .argument(
      '[config]',
      'configuration file with a section evaluation; .env beside it is loaded',
      'coa.yaml',
    )
    // Options behind the command below belong to it.
    .enablePositionalOptions()
    .option(
      '--name <name>',
      "evaluation's folder under runs/; default: the configuration's name, with -evaluation behind it where the configuration has tasks of its own",
    )
    .option('--set <key=value>', 'a setting over that of the configuration; may be repeated', gathered)
    .option('--limit <n>', 'play at most n tasks of each benchmark', wholeNumber(1))
    .addOption(new Option('--on-bad-task <what>', 'unusable rows of task files').choices(['fail', 'skip']))
    .option('--base-url <url>', "the player's endpoint; wins over OPENAI_BASE_URL")
    .option('--model <model>', "the player's model")
    .option(
      '--serve <checkpoint>',
      'let a checkpoint play: RUN/JOB or a folder; transformers serve runs on this machine for as long as it is asked',
    )
    .option('--offline', 'answers of models and tools come from the cache alone; a missing one is unscored')
    .option(
      '--retry <which>',
      'play again what is unscored: failed, failed:CAUSE, the id of a task, or TASK#SAMPLE for one of its samples',
    )
    .option('--yes', 'continue although a changed configuration makes paid answers stale')
    .option('--max-cost <usd>', 'US dollars that the evaluation may cost', decimalNumber({ above: 0 }))
    .option('--max-tokens <n>', 'tokens that the evaluation may take', wholeNumber(1))
    .option('--max-hours <h>', 'hours after which nothing new begins', decimalNumber({ above: 0 }))
    .option(
      '--dry-run',
      'read every file and look for every key, then print pending work, expected calls and cost; write nothing, send no request',
    )
    .option('--json', 'print the result as JSON')
    .examples(
      ['coa-distill evaluate eval.yaml', 'every benchmark of the section evaluation'],
      ['coa-distill evaluate eval.yaml --dry-run', 'whether everything is there, and what it would cost'],
      [
        'coa-distill evaluate eval.yaml --model student-2 --name student-2',
        'another model on the same tasks',
      ],
      ['coa-distill evaluate eval.yaml --serve coa/sft', 'the newest checkpoint of a training job'],
      ['coa-distill evaluate compare student-2 student-1', 'who is ahead, and whether it can be chance'],
    )
    .runs(async () => (await import('../evaluateFromCommandLine.ts')).evaluateFromCommandLine);
  return command.addCommand(compareEvaluationsCommand()).addCommand(judgeCommand());
}

function compareEvaluationsCommand(): Command {
  return new Command('compare')
    .description('Compare two evaluations task by task: difference, interval, wins and losses')
    .argument('<evaluation_a>', 'name under runs/, or the folder')
    .argument('<evaluation_b>', 'likewise')
    .option('--json', 'print it as JSON')
    .examples(['coa-distill evaluate compare student teacher', 'on the tasks that both played'])
    .runs(async () => (await import('../printEvaluationComparison.ts')).printEvaluationComparison);
}

const judges: readonly CalibratedJudge[] = ['rule', 'model', 'rule_then_model'];

function judgeCommand(): Command {
  return new Command('judge')
    .description('Measure a judge of answers against labelled ones: agreement, cost, disagreements')
    .argument('[file]', 'JSON lines of {"question", "answers", "prediction", "correct"}')
    .option('--reviews <run>', 'the labels of people who reviewed this run, in the place of a file')
    .option('--config <file>', 'configuration whose judge section is measured; the defaults where absent')
    .option('--set <key=value>', 'a setting over the file, for instance judge.min_f1=0.8', gathered, [])
    .option('--model <name>', "the judge's model; without one, rules alone are measured")
    .option('--base-url <url>', "the judge's endpoint")
    .option('--votes <n>', 'times that the model is asked about an answer', wholeNumber(1))
    .addOption(
      new Option(
        '--judge <judge>',
        'whose disagreements are shown; default: as the configuration judges',
      ).choices(judges),
    )
    .option('--limit <n>', 'judge at most n rows', wholeNumber(1))
    .option('--cache <file>', "the model's answers, which are not paid for twice", 'runs/.cache/judge.sqlite')
    .option('--json', 'print each disagreement, and at the end the totals, as a line of JSON')
    .examples(
      ['coa-distill evaluate judge labelled.jsonl', 'the rules, at no cost'],
      ['coa-distill evaluate judge labelled.jsonl --model gpt-5-mini --limit 50', 'what a model adds'],
      ['coa-distill evaluate judge --reviews quickstart', 'the verdicts of view --review'],
      ['coa-distill evaluate judge labelled.jsonl --config coa.yaml --votes 3', "a run's own judge"],
    )
    .runs(async () => (await import('../judge/runCalibrate.ts')).runCalibrate);
}
