import { datasetStageNames, stagesWhere, synthesisStageNames } from '../../contract/stageTable.ts';
import { exportFormats } from '../../output/interchange/exportRun.ts';
import { datasetFormatNames, formatAliases } from '../../schemas/config/datasetFormatNames.ts';
import { onUnreadChoices } from '../../schemas/interchange/onUnread.ts';
import type { CommandFacts, Taken } from '../command.ts';
import { oneOrMore, positive, repeated } from '../optionParsers.ts';
import { workersOption } from '../runArguments.ts';

/** Format names, repeated here to keep `--help` fast. */
const importFormats = ['atif', 'adp', 'openai', 'afm', 'sft'];
const interchange = exportFormats.join(', ');
const taskFiles = "tasks in place of the only source's: a file, a folder, or a pattern in quotes";
const profiles = ['web', 'mhqa', 'code', 'math'];
const runName = 'name under runs/, or the run folder';

const named: Taken = {
  '--name <name>': "run folder's name; default: the configuration's",
  '--set <key=value>': ['a setting over that of the configuration; may be repeated', repeated],
};

/** Limits and workers of a run. */
const limits: Taken = {
  '--max-cost <usd>': ['US dollars that the run may cost, earlier sessions included', positive],
  '--workers <n|url>': [
    'leave the tasks to n processes of this machine, or to workers (coa-distill workers join URL) that share this PostgreSQL database: postgres://USER@HOST/DB',
    { parse: workersOption },
  ],
};

export const commands: Readonly<Record<string, CommandFacts>> = {
  init: {
    arguments: { '[dir]': ['folder to write into; made where it is missing', { default: '.' }] },
    options: {
      '--example <name>': [
        'copy a small example of this profile that runs as it stands: tasks, what its tools read, a scripted teacher',
        { choices: profiles, conflicts: ['profile', 'baseUrl', 'model', 'tasks'] },
      ],
      '--profile <name>': ['agent profile; in a terminal what is left out is asked', { choices: profiles }],
      '--base-url <url>': "the teacher's endpoint; default: OpenAI's",
      '--model <model>': "the teacher's model",
      '--tasks <file>': 'your tasks, whose columns are looked at; default: a sample is written',
    },
    json: true,
    examples: {
      'coa-distill init --example web my-project': 'an example to run and to change',
      'coa-distill init': 'in a terminal: asks for profile, endpoint and tasks',
      'coa-distill init --profile math': 'into this folder',
      'coa-distill init my-run --profile web': 'into a folder of its own',
    },
    runs: async () => (await import('../init/runInit.ts')).runInit,
  },
  run: {
    arguments: { '[config]': ['configuration file; .env beside it is loaded', { default: 'coa.yaml' }] },
    options: {
      ...named,
      '--tasks <file>': taskFiles,
      '--limit <n>': ['work on at most n tasks', oneOrMore],
      '--preview <n>': [
        'work on n tasks of a new run and print their trajectories; the same command without it goes on with the rest',
        {
          parse: oneOrMore.parse,
          conflicts: ['limit', 'dryRun', 'from', 'until', 'retry', 'workers', 'json'],
        },
      ],
      '--from <stage>': ['rerun this stage and later ones', { choices: datasetStageNames }],
      '--until <stage>': ['stop after this stage', { choices: datasetStageNames }],
      '--base-url <url>':
        "the teacher's endpoint, in place of an embedded teacher too; wins over OPENAI_BASE_URL",
      '--model <model>': "the teacher's model",
      '--offline': 'answers of models and tools come from the cache alone; a missing one fails its task',
      '--retry <which>':
        'work again on what failed: failed, failed:CAUSE, the id of a task, or TASK#ROLLOUT for one of its rollouts',
      '--yes': 'continue although a changed configuration makes paid traces stale',
      ...limits,
      '--dry-run':
        'print the plan: what is pending and why, what is missing, tasks, calls expected, cost; write nothing',
    },
    json: true,
    examples: {
      'coa-distill run examples/quickstart.yaml': 'the embedded example, no key needed',
      'coa-distill run --preview 3': 'three trajectories of a new configuration, before more is spent',
      'coa-distill run --limit 20 --name try': 'twenty tasks into runs/try',
      'coa-distill run --from filter': 'filter and export again, no model call',
      'coa-distill run --retry failed:endpoint_timeout': 'only the tasks that failed so',
      'coa-distill run --max-cost 20': 'never spend more; exit code 3 when it is spent',
      'coa-distill run --workers postgres://coa@db/coa': 'on as many machines as there are workers',
      'coa-distill run --base-url http://localhost:8000/v1 --model my-model': 'an endpoint of your own',
    },
    runs: async () => (await import('../runFromCommandLine.ts')).runFromCommandLine,
  },
  synthesize: {
    arguments: { '[config]': ['configuration with a section synthesize', { default: 'coa.yaml' }] },
    options: {
      ...named,
      '--from <stage>': ['rerun this stage and later ones', { choices: synthesisStageNames }],
      '--until <stage>': ['stop after this stage', { choices: synthesisStageNames }],
      '--offline': 'answers of models and tools come from the cache alone; a missing one fails its record',
      '--retry <which>':
        'work again on what failed: failed, failed:CAUSE, or the id of a document or candidate',
      ...limits,
      '--dry-run': 'print the plan: what is pending and why, what is missing, the most calls; write nothing',
    },
    json: true,
    examples: {
      'coa-distill synthesize examples/synthesize.yaml': 'the embedded example, no key needed',
      'coa-distill synthesize --set synthesize.seeds.limit=50 --name try': 'from fifty documents',
      'coa-distill synthesize --set synthesize.seeds.candidates=50 --name try':
        'fifty questions from all documents; then coa-distill forecast --from-run try',
      'coa-distill run --tasks runs/try/taskset/tasks.jsonl': 'solve the tasks',
    },
    runs: async () => (await import('../runFromCommandLine.ts')).synthesizeFromCommandLine,
  },
  refilter: {
    arguments: { '<run>': runName },
    options: {
      '--set <key=value>': ['a setting over that of the run; may be repeated', repeated],
      '--name <run>': 'name of the run that is made; default: RUN-2, RUN-3, ...',
      '--until <stage>': [
        'stop after this stage, before a dataset is written',
        { choices: stagesWhere(({ decides, writes }) => decides && writes === 'trajectory') },
      ],
    },
    json: true,
    examples: {
      'coa-distill refilter web --set filters.min_interactions.web=7':
        'what would stay, without a model call',
      "coa-distill refilter web --set 'dataset.formats=[tokenized]' --set dataset.mask.thinking=false":
        'the same records as another dataset, in a run of its own',
    },
    runs: async () => (await import('../refilterFromCommandLine.ts')).refilterFromCommandLine,
  },
  forecast: {
    arguments: { '[config]': ['configuration of the run to forecast', { default: 'coa.yaml' }] },
    options: {
      '--from-run <run>': ['the earlier run: name under runs/, or its folder', { required: true }],
      '--set <key=value>': ['a setting over that of the configuration; may be repeated', repeated],
      '--tasks <file>': taskFiles,
      '--limit <n>': ['work on at most n tasks', oneOrMore],
    },
    json: true,
    examples: {
      'coa-distill forecast --from-run try': 'the whole configuration, after a try of twenty tasks',
    },
    runs: async () => (await import('../forecastFromCommandLine.ts')).forecastFromCommandLine,
  },
  import: {
    arguments: {
      '<format>': [
        'what the files hold; sft: rows for fine-tuning (chat messages, ShareGPT, alpaca, tokens), of which a dataset is made as they are',
        { choices: importFormats },
      ],
      '<file...>': 'files of rows, folders or patterns: JSON, JSONL, CSV, parquet or Arrow',
    },
    options: {
      '--name <run>': ["run folder's name", { required: true }],
      '--profile <name>':
        'agent profile of every row, or auto: one that is built from their tools and their order; default: what the rows say, or else auto',
      '--map <map...>':
        "tool=tag: a tool by the files' name and the profile's tag that it is here; or how calls and results in turns of text are read: a preset such as webdancer (docs/interchange.md lists them), or a YAML file",
      '--on-unread <choice>': [
        'rows with a part that is not read, such as a picture; default: refuse',
        { choices: onUnreadChoices },
      ],
      '--config <file>': 'settings of the later stages; its tasks and tools are not looked at',
      // Imported rows replace tasks.
      '--until <stage>': [
        'continue up to this stage; default: import only; of sft: export',
        { choices: stagesWhere(({ writes }) => writes !== 'task') },
      ],
    },
    json: true,
    examples: {
      'coa-distill import afm web.json --name afm-web --until export': 're-export published data as it is',
      'coa-distill import afm web.json --name afm-web --until export --config coa.yaml': 'and filter it',
      'coa-distill import atif jobs/*.json --name agents --profile mhqa --map lookup=wiki_search': '',
      'coa-distill import sft chats.jsonl --name own':
        "a dataset of your own rows, in every trainer's format",
      'coa-distill import openai traj.jsonl --name dancer --profile web_react --map webdancer --config coa.yaml':
        'tool results that stand in user turns',
      'coa-distill run coa.yaml --name agents --from convert': 'the later stages, by your configuration',
    },
    runs: async () => (await import('../importFromCommandLine.ts')).importFromCommandLine,
  },
  export: {
    arguments: { '<run>': runName },
    options: {
      '--to <names...>': [
        'atif: one JSON file a record; adp, openai: JSONL; the others are formats of the dataset, and are added to it (alpaca: afm, sharegpt: llama_factory, trl: hugging_face)',
        { choices: [...exportFormats, ...datasetFormatNames, ...Object.keys(formatAliases)], required: true },
      ],
      '--stage <stage>': [
        `${interchange}: whose records, for instance rollout for every trace; default: the records that were kept`,
        { choices: stagesWhere(({ writes }) => writes === 'trace' || writes === 'trajectory') },
      ],
      '--out <path>': `${interchange}: file, or folder for atif; default: interchange/STAGE/ in the run's folder`,
    },
    json: true,
    examples: {
      'coa-distill export quickstart --to openai': 'the trajectories that were kept',
      'coa-distill export quickstart --to atif --stage rollout': 'every trace',
      'coa-distill export quickstart --to axolotl ms_swift': 'two more formats in dataset/',
    },
    runs: async () => (await import('../exportFromCommandLine.ts')).exportFromCommandLine,
  },
  fetch: {
    arguments: { '<address>': 'hf:[models/]OWNER/NAME[@REVISION][/FILE, folder or pattern]' },
    options: {
      '--to <folder>': 'copy the files there; default: the cache that the libraries of Hugging Face share',
    },
    json: true,
    examples: {
      'coa-distill fetch hf:PersonalAILab/AFM-WebAgent-SFT-Dataset': 'all of it',
      "coa-distill fetch 'hf:open-r1/codeforces@main/data/*.parquet' --to tasks": 'some of it, to ./tasks',
      'coa-distill fetch hf:models/Qwen/Qwen2.5-1.5B-Instruct': 'a model to train',
      'HF_TOKEN=hf_... coa-distill fetch hf:gaia-benchmark/GAIA': 'where access is asked for',
    },
    runs: async () => (await import('../hubFromCommandLine.ts')).fetchFromCommandLine,
  },
  push: {
    arguments: { '<run>': runName, '<address>': 'hf:OWNER/NAME[@BRANCH]; made where it is not there' },
    options: {
      '--private': 'a repository that is made now is private',
    },
    json: true,
    examples: { 'HF_TOKEN=hf_... coa-distill push my-run hf:my-lab/my-rows --private': '' },
    runs: async () => (await import('../hubFromCommandLine.ts')).pushFromCommandLine,
  },
};
