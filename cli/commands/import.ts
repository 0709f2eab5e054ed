import { Argument, Option } from 'commander';
import { stagesWhere } from '../../contract/stageTable.ts';
import { onUnreadChoices } from '../../schemas/interchange/onUnread.ts';
import type { ImportFormat } from '../../teachers/importers/formats.ts';
import { Command } from '../command.ts';
import type { ImportCommandOptions } from '../importFromCommandLine.ts';

/** The formats by name, written here so that `--help` loads no more than this file. */
const formats = ['oagents', 'atif', 'adp', 'openai', 'afm'];
/** Imported rows stand in for tasks. */
const stages = stagesWhere(({ writes }) => writes !== 'task');

export function importCommand(done: (exitCode: number) => void): Command {
  return new Command('import')
    .addArgument(new Argument('<format>', 'what the files hold').choices(formats))
    .argument('<file...>', 'files of rows, folders or patterns: JSON, JSONL, CSV, parquet or Arrow')
    .requiredOption('--name <run>', "run folder's name")
    .option(
      '--profile <name>',
      'agent profile of every row, or auto: one that is built from their tools and their order; default: what the rows say, or else auto',
    )
    .option(
      '--map <map...>',
      "tool=tag: a tool by the files' name and the profile's tag that it is here; or how calls and results in turns of text are read: react, webdancer, search_r1, swe_agent, qwen_tool_call, or a YAML file",
    )
    .addOption(
      new Option(
        '--on-unread <choice>',
        'rows with a part that is not read, such as a picture; default: refuse',
      ).choices(onUnreadChoices),
    )
    .option('--config <file>', 'settings of the later stages; its tasks and tools are not looked at')
    .addOption(
      new Option('--until <stage>', 'continue up to this stage; default: import only').choices(stages),
    )
    .option('--json', 'print the result as JSON')
    .examples(
      ['coa-distill import afm web.json --name afm-web --until export', 're-export published data as it is'],
      ['coa-distill import afm web.json --name afm-web --until export --config coa.yaml', 'and filter it'],
      ['coa-distill import atif jobs/*.json --name agents --profile mhqa --map lookup=wiki_search', ''],
      [
        'coa-distill import openai traj.jsonl --name dancer --profile web_react --map webdancer --config coa.yaml',
        'tool results that stand in user turns',
      ],
      ['coa-distill run coa.yaml --name agents --from convert', 'the later stages, by your configuration'],
    )
    .action(async (format: ImportFormat, files: string[], options: ImportCommandOptions) => {
      const { importFromCommandLine } = await import('../importFromCommandLine.ts');
      done(await importFromCommandLine(format, files, options));
    });
}
