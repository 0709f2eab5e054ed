import { Option } from 'commander';
import type { CalibratedJudge } from '../../schemas/judgeCalibration.ts';
import { Command } from '../command.ts';
import type { CalibrateOptions } from '../judge/calibrationSettings.ts';
import { gathered, wholeNumber } from '../optionParsers.ts';

const judges: readonly CalibratedJudge[] = ['rule', 'model', 'rule_then_model'];

export function judgeCommand(): Command {
  const calibrate = new Command('calibrate')
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
      ['coa-distill judge calibrate labelled.jsonl', 'the rules, at no cost'],
      ['coa-distill judge calibrate labelled.jsonl --model gpt-5-mini --limit 50', 'what a model adds'],
      ['coa-distill judge calibrate --reviews quickstart', 'the verdicts of view --review'],
      ['coa-distill judge calibrate labelled.jsonl --config coa.yaml --votes 3', "a run's own judge"],
    )
    .action(async (file: string | undefined, options: CalibrateOptions) => {
      const { runCalibrate } = await import('../judge/runCalibrate.ts');
      await runCalibrate(file, options);
    });
  return new Command('judge').addCommand(calibrate);
}
