import { InvalidArgumentError } from 'commander';
import type { BalanceDimension } from '../../schemas/config/balance.ts';
import type { CommandFacts, Taken } from '../command.ts';
import { decimalNumber, oneOrMore, repeated, wholeNumber } from '../optionParsers.ts';

/** Repeated here, since loading the schema is slow. */
const dimensions: BalanceDimension[] = ['profile', 'source', 'difficulty', 'steps', 'length'];

const rowOptions: Taken = {
  '--out <file>': 'where rows that stay go, as they came in; - for standard output',
  '--ledger <file>': 'what became of the other rows; default: OUT.ledger.jsonl',
  '--config <file>': 'configuration to take settings from; its tasks and teacher are not looked at',
  '--set <key=value>': ['a setting over that of the configuration; may be repeated', repeated],
  '--on-bad-row <what>': [
    'rows that are not JSON or have an unknown layout: stop, or leave them out',
    { choices: ['stop', 'drop'], default: 'stop' },
  ],
};

/** Options of commands that use a row's profile. */
const profile: Taken = {
  '--profile <name>': "profile of all rows; default: the row's own, or guessed from its tags",
};

/** Arguments of commands that use questions of rows or task files. */
const filesOfQuestions: Taken = {
  '<file...>':
    'files of rows, folders or patterns: alpaca, sharegpt, trajectories or tasks; - for JSONL from a pipe',
};
/** Arguments of commands that use the model's text. */
const filesOfTrajectories: Taken = {
  '<file...>':
    'files of rows, folders or patterns: alpaca, sharegpt or trajectories; - for JSONL from a pipe',
};
const column: Taken = {
  '--column <name>': 'where the question stands, dots reach into objects; default: by the layout',
};

export const commands: Readonly<Record<string, CommandFacts>> = {
  filter: {
    arguments: filesOfTrajectories,
    options: { ...profile, ...rowOptions },
    examples: {
      'coa-distill filter sft.json --out kept.json': 'rows of each profile by its own rules',
      'zcat sft.jsonl.gz | coa-distill filter - --out - --ledger why.jsonl': 'from pipe to pipe',
    },
    json: true,
    runs: async () => (await import('../standalone/filterFiles.ts')).filterFiles,
  },
  dedup: {
    arguments: filesOfQuestions,
    options: {
      ...column,
      '--of <what>': [
        'what is compared: questions, or questions and what the model wrote',
        { choices: ['question', 'trajectory'], default: 'question' },
      ],
      ...rowOptions,
    },
    examples: {
      'coa-distill dedup sft.json --out unique.json': 'one row a question',
      'coa-distill dedup a.jsonl b.jsonl --of trajectory --out unique.jsonl': 'of both files together',
      'coa-distill dedup a.jsonl --of trajectory --set dedup.trajectories.min_jaccard=0.9 --out unique.jsonl':
        'only what is nearly the same',
      'cat sft.jsonl | coa-distill dedup - --out -': 'from pipe to pipe',
    },
    json: true,
    runs: async () => (await import('../standalone/dedupFiles.ts')).dedupFiles,
  },
  decontaminate: {
    arguments: filesOfQuestions,
    options: {
      ...column,
      '--against <path>': [
        'a benchmark: a file of rows, a folder of such or a pattern; may be repeated',
        repeated,
      ],
      ...rowOptions,
    },
    examples: {
      'coa-distill decontaminate sft.json --against math500.jsonl --out clean.json': '',
      'coa-distill decontaminate tasks.parquet --against benchmarks/ --column prompt --out clean.jsonl': '',
      'cat sft.jsonl | coa-distill decontaminate - --against aime.jsonl --out - --ledger hits.jsonl': '',
    },
    json: true,
    runs: async () => (await import('../standalone/dedupFiles.ts')).decontaminateFiles,
  },
  balance: {
    arguments: filesOfTrajectories,
    options: {
      '--by <dimensions>': [
        `what makes a group, default profile: ${dimensions.join(', ')}`,
        { parse: groupedBy },
      ],
      '--cap <n>': ['most rows of each group', { parse: wholeNumber(0) }],
      '--quota <share>': [
        'largest share of each group in what is kept, above 0 and below 1',
        { parse: decimalNumber({ above: 0, below: 1 }) },
      ],
      '--temperature <t>': ['draw groups as n^(1/T), T from 1 up', { parse: decimalNumber({ min: 1 }) }],
      ...profile,
      ...rowOptions,
    },
    examples: {
      'coa-distill balance sft.jsonl --cap 5000 --by source,steps --out balanced.jsonl':
        'at most 5,000 rows of each',
      'coa-distill balance a.parquet b.parquet --quota 0.4 --out c.jsonl': 'no profile is more than 40 %',
      'cat sft.jsonl | coa-distill balance - --temperature 2 --out -': 'from pipe to pipe',
      'coa-distill balance sft.jsonl --config coa.yaml --out balanced.jsonl': 'by the rules in balance.rules',
    },
    json: true,
    runs: async () => (await import('../standalone/balanceFiles.ts')).balanceFiles,
  },
  check: {
    arguments: { '<path...>': 'runs, dataset folders, files or folders of rows' },
    options: {
      ...profile,
      '--config <file>': 'configuration whose own profiles are known too; default: that of the run',
      '--tokenizer <tokenizer>': "qwen2.5 or a tokenizer.json; default: the dataset's own, or qwen2.5",
      '--observation-tag <name>': ["tag of tools' outputs in other people's rows", { parse: tagName }],
      '--sample <rows>': ['check the tokens of so many rows of each file only', oneOrMore],
    },
    json: true,
    examples: {
      'coa-distill check quickstart': "all formats of a run's dataset",
      'coa-distill check web_sft.json data/': "anyone's rows, in files and folders",
      'coa-distill check sft.json --observation-tag information': 'rows whose tools have another tag',
    },
    runs: async () => (await import('../runCheck.ts')).runCheck,
  },
};

function groupedBy(text: string): BalanceDimension[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !dimensions.some((known) => known === name));
  if (unknown !== undefined || new Set(names).size < names.length)
    throw new InvalidArgumentError(`expected some of ${dimensions.join(',')}, each once`);
  return dimensions.filter((known) => names.includes(known));
}

function tagName(text: string): string {
  if (/^[A-Za-z][\w-]*$/.test(text)) return text;
  throw new InvalidArgumentError('expected the name of a tag without its brackets, for instance information');
}
