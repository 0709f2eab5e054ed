import { Argument, Option } from 'commander';
import { stagesWhere } from '../../contract/stageTable.ts';
import { exportFormats } from '../../output/interchange/exportRun.ts';
import { datasetFormatNames, formatAliases } from '../../schemas/config/datasetFormatNames.ts';
import { onUnreadChoices } from '../../schemas/interchange/onUnread.ts';
import { Command } from '../command.ts';
import { threadsOption } from '../optionParsers.ts';

/** The formats by name, written here so that `--help` loads no more than this file. */
const formats = ['oagents', 'atif', 'adp', 'openai', 'afm'];
/** Imported rows stand in for tasks. */
const stages = stagesWhere(({ writes }) => writes !== 'task');

export function importCommand(): Command {
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
    .runs(async () => (await import('../importFromCommandLine.ts')).importFromCommandLine);
}

const interchange = exportFormats.join(', ');

export function exportCommand(): Command {
  return new Command('export')
    .argument('<run>', 'name under runs/, or the run folder')
    .addOption(
      new Option(
        '--to <names...>',
        'atif: one JSON file a record; adp, openai: JSONL; the others are formats of the dataset, and are added to it (alpaca: afm, sharegpt: llama_factory)',
      )
        .choices([...exportFormats, ...datasetFormatNames, ...Object.keys(formatAliases)])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--stage <stage>',
        `${interchange}: whose records, for instance rollout for every trace; default: the records that were kept`,
      ).choices(stagesWhere(({ writes }) => writes === 'trace' || writes === 'trajectory')),
    )
    .option(
      '--out <path>',
      `${interchange}: file, or folder for atif; default: interchange/STAGE/ in the run's folder`,
    )
    .addOption(threadsOption())
    .option('--json', 'print what was written as JSON')
    .examples(
      ['coa-distill export quickstart --to openai', 'the trajectories that were kept'],
      ['coa-distill export quickstart --to atif --stage rollout', 'every trace'],
      ['coa-distill export quickstart --to axolotl ms_swift', 'two more formats in dataset/'],
    )
    .runs(async () => (await import('../exportFromCommandLine.ts')).exportFromCommandLine);
}

export function fetchCommand(): Command {
  return new Command('fetch')
    .argument('<address>', 'hf:[models/]OWNER/NAME[@REVISION][/FILE, folder or pattern]')
    .option(
      '--to <folder>',
      'copy the files there; default: the cache that the libraries of Hugging Face share',
    )
    .option('--json', 'print commit and files as JSON')
    .examples(
      ['coa-distill fetch hf:PersonalAILab/AFM-WebAgent-SFT-Dataset', 'all of it'],
      ["coa-distill fetch 'hf:open-r1/codeforces@main/data/*.parquet' --to tasks", 'some of it, to ./tasks'],
      ['coa-distill fetch hf:models/Qwen/Qwen2.5-1.5B-Instruct', 'a model to train'],
      ['HF_TOKEN=hf_... coa-distill fetch hf:gaia-benchmark/GAIA', 'where access is asked for'],
    )
    .runs(async () => (await import('../fetchFromCommandLine.ts')).fetchFromCommandLine);
}

export function pushCommand(): Command {
  return new Command('push')
    .argument('<run>', 'name under runs/, or the run folder')
    .argument('<address>', 'hf:OWNER/NAME[@BRANCH]; made where it is not there')
    .option('--private', 'a repository that is made now is private')
    .option('--json', 'print the commit as JSON')
    .examples(['HF_TOKEN=hf_... coa-distill push my-run hf:my-lab/my-rows --private', ''])
    .runs(async () => (await import('../pushFromCommandLine.ts')).pushFromCommandLine);
}
