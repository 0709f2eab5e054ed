import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import type { Manifest, Split } from '../../schemas/manifest.ts';
import { preferenceNotice } from '../../schemas/preferenceCounts.ts';
import { rlTaskNotice } from '../../schemas/rl/taskLine.ts';
import { memberNotices, rolloutNotice } from '../../schemas/rolloutRates.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import { fewTestsNotice } from '../../schemas/tasksByTests.ts';
import { trajectoryFeatures } from '../../schemas/trainers/trajectoryRow.ts';
import { renderYaml } from '../quoting/renderYaml.ts';
import type { FinishedFormat } from './formatWriter.ts';

interface DatasetCardOptions {
  readonly name: string;
  /** The manifest as far as it is known: the card itself is not among its files. */
  readonly manifest: Manifest;
  /** The canonical records first, then the chosen formats. */
  readonly finished: readonly FinishedFormat[];
  /** Absent where nothing was balanced. */
  readonly balance?: BalanceTable;
}

/**
 * `README.md` of a dataset folder. Its front matter makes `load_dataset(folder)` open the canonical records, and
 * `load_dataset(folder, 'afm')` or another format of JSON those rows. The binary formats are no configurations:
 * `load_dataset` reads all configurations of a folder with one reader, here that of JSON.
 */
export function datasetCard(options: DatasetCardOptions): string {
  return `---\n${renderYaml(frontMatter(options))}---\n\n${body(options)}`;
}

function frontMatter({ name, finished, manifest }: DatasetCardOptions) {
  return {
    pretty_name: name,
    task_categories: ['text-generation'],
    tags: ['chain-of-agents', 'agents', 'tool-use', 'sft'],
    configs: finished.flatMap(configuration),
    dataset_info: [
      {
        config_name: 'trajectories',
        features: trajectoryFeatures({
          rollouts: manifest.tasks !== undefined,
          repairs: manifest.second_tries !== undefined,
          models: manifest.models !== undefined,
          members: manifest.members !== undefined,
        }),
      },
    ],
  };
}

/** One configuration for each format that has files of JSON. */
function configuration({ format, files }: FinishedFormat) {
  const json = files.filter(({ path }) => /\.jsonl?$/.test(path));
  if (json.length === 0) return [];
  const data_files = (['train', 'validation'] as const)
    .map((split) => ({ split, path: pathsOf(json, split) }))
    .filter(({ path }) => path.length > 0);
  const isDefault = format.name === 'trajectories' ? { default: true } : {};
  return [{ config_name: format.name, data_files, ...isDefault }];
}

/** The files of a split: a path where there is one, a list where there are several, as the Hub's cards have it. */
function pathsOf(files: FinishedFormat['files'], split: Split): string | readonly string[] {
  const paths = files.filter((file) => file.split === split).map((file) => file.path);
  const [only, ...others] = paths;
  return only !== undefined && others.length === 0 ? only : paths;
}

function body(options: DatasetCardOptions): string {
  const { name, manifest, finished, balance } = options;
  const { rows, tasks, tokens, trained_tokens, tokenizer, cutoff_len } = manifest;
  return `# ${name}

${rows} Chain-of-Agents trajectories${tasks === undefined ? '' : ` of ${tasks} tasks`}, ${tokens} tokens, of which ${trained_tokens} are trained. Made by coa-distill.

In a trajectory one model plays every agent of a multi-agent system in one tagged text. What tools returned stands in \`<observation>\`, was not written by the model, and is never in the loss.

| profile | rows |
|---|---|
${Object.entries(manifest.profiles)
  .map(([profile, count]) => `| ${profile} | ${count} |`)
  .join('\n')}

${fewTestsWarning(manifest)}${balanceNotes(balance)}## Formats

The rows are the same, in the same order, in every format${manifest.preference ? ' of one trajectory a row, and so are the pairs in every format of pairs' : ''}. Each folder has a README: how to start its trainer, and how the mask was verified there.

| path | opened with | for | who applies the mask |
|---|---|---|---|
${finished.map(formatLine).join('\n')}

${notes(manifest, cutoff_len, tokenizer.name).join('\n')}

## Text that is not what it was

Look-alikes of tags and of control tokens in questions and observations carry one backslash (\`<\\/observation\\>\`), so that a page can't act as structure. Text is Unicode NFC with LF line ends; lone surrogates became U+FFFD.

## Files

| file | rows | tokens | trained | bytes |
|---|---|---|---|---|
${manifest.files
  .map(
    (f) => `| \`${f.path}\` | ${f.rows ?? ''} | ${f.tokens ?? ''} | ${f.trained_tokens ?? ''} | ${f.bytes} |`,
  )
  .join('\n')}
`;
}

function fewTestsWarning({ tasks_by_tests = {} }: Manifest): string {
  const notice = fewTestsNotice(tasks_by_tests);
  return notice === undefined ? '' : `> **Few tests.** ${notice}.\n\n`;
}

function formatLine({ format: { name, card }, files: [first] }: FinishedFormat): string {
  const path =
    name === 'trajectories' || name === 'pairs' ? `\`${first!.path}\`` : `[\`${name}/\`](${name}/README.md)`;
  return `| ${path} | ${card.opened} | ${card.trainer} | ${card.mask} |`;
}

function notes(
  {
    splits,
    mask,
    cut_rows,
    system_prompt,
    formats,
    models = {},
    preference,
    rl_tasks,
    rollouts,
    second_tries,
    members = {},
  }: Manifest,
  cutoffLen: number,
  tokenizer: string,
) {
  return [
    ...Object.entries(models).map(
      ([model, rows]) =>
        `- ${rows} of the rows were written by the model \`${model}\` itself, playing every agent.`,
    ),
    `- Ids are of the tokenizer ${tokenizer}; no row is longer than ${cutoffLen} tokens, so trainers need not cut.`,
    ...(splits.validation === 0
      ? []
      : [
          `- ${splits.train} rows are for training, ${splits.validation} for validation; all rows of a task are on one side.`,
        ]),
    ...(rollouts
      ? [
          `- ${rolloutNotice(rollouts)}. \`tasks.pass_rates.jsonl\` has each task's; unscored rollouts are in no rate, and an interval holds in 95 of 100 cases.`,
          ...memberNotices(rollouts).map((line) => `- Rollouts by ${line}.`),
        ]
      : []),
    ...(second_tries === undefined
      ? []
      : [
          `- ${second_tries} of the rows are second tries (\`repairs\`): the first one's answer was wrong, the teacher was told so and never the right one, and went on to a right one.`,
        ]),
    ...Object.entries(members).map(
      ([name, rows]) =>
        `- ${rows} of the rows were made by the member \`${name}\` of a mixture of teachers; \`member\` names its model and sampling.`,
    ),
    ...(preference
      ? [`- ${preferenceNotice(preference)}: a chosen and a rejected trajectory of one task each.`]
      : []),
    ...(rl_tasks
      ? [
          `- For reinforcement learning: ${rlTaskNotice(rl_tasks)}; \`verl_rl/ledger.jsonl\` has each one's reason.`,
        ]
      : []),
    ...(maskNote(mask) ? [`- Not all that the model wrote is in the loss: ${maskNote(mask)}.`] : []),
    ...(cut_rows === 0 ? [] : [`- ${cut_rows} rows were too long: they end before the model's turn does.`]),
    ...(formats.includes('afm') && system_prompt !== qwenSystemPrompt
      ? [
          "- The rows have a system prompt of their own, for which AFM's layout has no column: its fork writes Qwen's instead.",
        ]
      : []),
    '- `manifest.json` has the SHA-256, rows, tokens and trained tokens of each file.',
  ];
}

/** The options of the mask that are not the default, in words; empty where all are. */
function maskNote({ thinking, tag_weights, last_steps, marked }: Manifest['mask']): string {
  const weights = Object.entries(tag_weights).map(([tag, weight]) => `<${tag}> weighs ${weight}`);
  return [
    ...(thinking ? [] : ['thinking is left out']),
    ...weights.map((weight) => weight.replace(/<(.*)>/, '`<$1>`')),
    ...(last_steps === null ? [] : [`only the last ${last_steps} steps are in it`]),
    ...(marked === 'train' ? [] : ['segments that a verdict marks are left out']),
  ].join('; ');
}

/** Groups that the card lists of one dimension. */
const MAX_GROUPS = 30;

/** The section of a dataset card that tells what balancing did; empty for a dataset that was not balanced. */
export function balanceNotes(table: BalanceTable | undefined): string {
  if (table === undefined) return '';
  return `## Balance

How many trajectories of each group there were before and after balancing; \`rows\` counts a repeated one as often as it stands in the training split, \`weight\` is the sum of the rows' weights.

| by | group | before | after | rows | weight |
|---|---|---|---|---|---|
${table.flatMap(dimensionLines).join('\n')}

`;
}

function dimensionLines({ dimension, groups }: BalanceTable[number]): string[] {
  const lines = groups
    .slice(0, MAX_GROUPS)
    .map(
      ({ group, before, after, rows, weight }) =>
        `| ${dimension} | ${cell(group)} | ${before} | ${after} | ${rows} | ${weight} |`,
    );
  const more = groups.length - MAX_GROUPS;
  return more > 0 ? [...lines, `| ${dimension} | and ${more} more groups | | | | |`] : lines;
}

/** A group's name may be whatever a data set says: no mark of Markdown may end the cell or begin a link or a tag. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|&]/g, (sign) => `\\${sign}`);
}
