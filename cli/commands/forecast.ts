import { Command } from '../command.ts';
import type { ForecastCommandOptions } from '../forecastFromCommandLine.ts';
import { wholeNumber } from '../optionParsers.ts';

export function forecastCommand(): Command {
  return new Command('forecast')
    .argument('[config]', 'configuration of the run to forecast', 'coa.yaml')
    .requiredOption('--from-run <run>', 'the earlier run: name under runs/, or its folder')
    .option('--tasks <file>', "tasks in place of the only source's: a file, a folder, or a pattern in quotes")
    .option('--limit <n>', 'work on at most n tasks', wholeNumber(1))
    .option('--base-url <url>', "the teacher's endpoint")
    .option('--model <model>', "the teacher's model, for its price")
    .option('--json', 'print it as JSON')
    .examples(['coa-distill forecast --from-run try', 'the whole configuration, after a try of twenty tasks'])
    .action(async (config: string, options: ForecastCommandOptions) => {
      const { forecastFromCommandLine } = await import('../forecastFromCommandLine.ts');
      await forecastFromCommandLine(config, options);
    });
}
