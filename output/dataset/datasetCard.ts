import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import { groundingNotice } from '../../schemas/groundingCounts.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { mixNotice } from '../../schemas/mixedRow.ts';
import { preferenceNotice } from '../../schemas/preferenceCounts.ts';
import { memberNotices, rolloutNotice } from '../../schemas/rolloutRates.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import { fewTestsNotice } from '../../schemas/tasksByTests.ts';
import { trajectoryFeatures } from '../../schemas/trainers/trajectoryRow.ts';
import { rlTaskNotice } from '../../schemas/training/taskLine.ts';
import { renderYaml } from '../quoting/renderYaml.ts';
import { markdownTable } from './formatReadme.ts';
import type { FinishedFormat } from './formatWriter.ts';

interface DatasetCardOptions {
  readonly name: string;
  readonly manifest: Manifest;
  /** Canonical records first, then the chosen formats. */
  readonly finished: readonly FinishedFormat[];
  readonly balance?: BalanceTable;
}

/**
 * Renders `README.md` of a dataset folder. With its front matter, `load_dataset(folder)` opens the canonical records,
 * and `load_dataset(folder, 'afm')` the rows of that JSON format. Binary formats are excluded, since `load_dataset`
 * reads all configurations of a folder with one reader.
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
          rollout: manifest.tasks !== undefined,
          repairs: manifest.second_tries !== undefined,
          model: manifest.models !== undefined,
          member: manifest.members !== undefined,
        }),
      },
    ],
  };
}

function configuration({ format, files }: FinishedFormat) {
  const json = files.filter(({ path }) => /\.jsonl?$/.test(path));
  const data_files = (['train', 'validation'] as const).flatMap((split) => {
    const paths = json.filter((file) => file.split === split).map((file) => file.path);
    // A string for one path, a list for several, as in the Hub's cards.
    return paths.length === 0 ? [] : [{ split, path: paths.length === 1 ? paths[0]! : paths }];
  });
  const isDefault = format.name === 'trajectories' && { default: true };
  return data_files.length === 0 ? [] : [{ config_name: format.name, data_files, ...isDefault }];
}

function body({ name, manifest, finished, balance }: DatasetCardOptions): string {
  const { rows, tasks, tokens, trained_tokens, tasks_by_tests = {}, preference, mix = [] } = manifest;
  const mixed = mix.reduce((sum, { taken }) => sum + taken, 0);
  const others = mix.length === 0 ? '' : ` and ${mixed} rows that were mixed in`;
  const fewTests = fewTestsNotice(tasks_by_tests);
  return `# ${name}

${rows - mixed} Chain-of-Agents trajectories${tasks === undefined ? '' : ` of ${tasks} tasks`}${others}, ${tokens} tokens, of which ${trained_tokens} are trained. Made by coa-distill.

In a trajectory one model plays every agent of a multi-agent system in one tagged text. What tools returned stands in \`<observation>\`, was not written by the model, and is never in the loss.

${markdownTable(['profile', 'rows'], Object.entries(manifest.profiles))}

${fewTests === undefined ? '' : `> **Few tests.** ${fewTests}.\n\n`}${balanceNotes(balance)}${mixNotes(manifest)}## Formats

The rows are the same, in the same order, in every format${preference ? ' of one trajectory a row, and so are the pairs in every format of pairs' : ''}. Each folder has a README: how to start its trainer, and how the mask was verified there.

${markdownTable(['path', 'opened with', 'for', 'who applies the mask'], finished.map(formatCells))}

${notes(manifest)
  .map((line) => `- ${line}`)
  .join('\n')}

## Text that is not what it was

Look-alikes of tags and of control tokens in questions and observations carry one backslash (\`<\\/observation\\>\`), so that a page can't act as structure. Text is Unicode NFC with LF line ends; lone surrogates became U+FFFD.

## Files

${markdownTable(
  ['file', 'rows', 'tokens', 'trained', 'bytes'],
  manifest.files.map((file) => [
    `\`${file.path}\``,
    file.rows ?? '',
    file.tokens ?? '',
    file.trained_tokens ?? '',
    file.bytes,
  ]),
)}
`;
}

function formatCells({ format: { name, card }, files: [first] }: FinishedFormat): string[] {
  const isFile = name === 'trajectories' || name === 'pairs' || name === 'mixed';
  const path = isFile ? `\`${first!.path}\`` : `[\`${name}/\`](${name}/README.md)`;
  return [path, card.opened, card.trainer, card.mask];
}

/** Facts about the rows, one line each. */
function notes(manifest: Manifest): string[] {
  const {
    splits,
    cut_rows,
    models = {},
    members = {},
    rollouts,
    second_tries,
    preference,
    rl_tasks,
    grounding,
  } = manifest;
  const mask = maskNote(manifest.mask);
  const lines = [
    ...Object.entries(models).map(
      ([model, rows]) =>
        `${rows} of the rows were written by the model \`${model}\` itself, playing every agent.`,
    ),
    `Ids are of the tokenizer ${manifest.tokenizer.name}; no row is longer than ${manifest.cutoff_len} tokens, so trainers need not cut.`,
    splits.validation > 0 &&
      `${splits.train} rows are for training, ${splits.validation} for validation; all rows of a task are on one side.`,
    grounding && groundingNotice(grounding) && `${groundingNotice(grounding)}.`,
    rollouts &&
      `${rolloutNotice(rollouts)}. \`tasks.pass_rates.jsonl\` has each task's; unscored rollouts are in no rate, and an interval holds in 95 of 100 cases.`,
    ...(rollouts ? memberNotices(rollouts) : []).map((line) => `Rollouts by ${line}.`),
    second_tries !== undefined &&
      `${second_tries} of the rows are second tries (\`repairs\`): the first one's answer was wrong, the teacher was told so and never the right one, and went on to a right one.`,
    ...Object.entries(members).map(
      ([name, rows]) =>
        `${rows} of the rows were made by the member \`${name}\` of a mixture of teachers; \`member\` names its model and sampling.`,
    ),
    preference && `${preferenceNotice(preference)}: a chosen and a rejected trajectory of one task each.`,
    rl_tasks &&
      `For reinforcement learning: ${rlTaskNotice(rl_tasks)}; \`ledger.jsonl\` beside the tasks has each one's reason.`,
    mask !== '' && `Not all that the model wrote is in the loss: ${mask}.`,
    cut_rows > 0 && `${cut_rows} rows were too long: they end before the model's turn does.`,
    manifest.formats.includes('afm') &&
      manifest.system_prompt !== qwenSystemPrompt &&
      "The rows have a system prompt of their own, for which AFM's layout has no column: its fork writes Qwen's instead.",
    '`manifest.json` has the SHA-256, rows, tokens and trained tokens of each file.',
  ];
  return lines.filter((line) => typeof line === 'string');
}

/** Describes non-default mask options; empty if all are default. */
function maskNote({ thinking, tag_weights, last_steps, marked }: Manifest['mask']): string {
  return [
    ...(thinking ? [] : ['thinking is left out']),
    ...Object.entries(tag_weights).map(([tag, weight]) => `\`<${tag}>\` weighs ${weight}`),
    ...(last_steps === null ? [] : [`only the last ${last_steps} steps are in it`]),
    ...(marked === 'train' ? [] : ['segments that a verdict marks are left out']),
  ].join('; ');
}

function mixNotes({ mix, rows }: Manifest): string {
  if (!mix) return '';
  const lines = mix.map((file) => `- ${cell(mixNotice(file, rows))}.`);
  return `## Mixed rows

Rows of other files, with masks of their own, through the same chat template and tokenizer. They stand behind the trajectories in every format for fine-tuning; \`mixed.jsonl\` has them before the template, and \`manifest.json\` the place of the first row of each reason.

${lines.join('\n')}

`;
}

/** Maximum groups listed per dimension. */
const MAX_GROUPS = 30;

/** Card section about balancing; empty for a dataset that was not balanced. */
export function balanceNotes(balance: BalanceTable | undefined): string {
  if (balance === undefined) return '';
  return `## Balance

How many trajectories of each group there were before and after balancing; \`rows\` counts a repeated one as often as it stands in the training split, \`weight\` is the sum of the rows' weights.

${markdownTable(['by', 'group', 'before', 'after', 'rows', 'weight'], balance.flatMap(dimensionCells))}

`;
}

function dimensionCells({ dimension, groups }: BalanceTable[number]): (string | number)[][] {
  const cells = groups
    .slice(0, MAX_GROUPS)
    .map(({ group, before, after, rows, weight }) => [dimension, cell(group), before, after, rows, weight]);
  const more = groups.length - MAX_GROUPS;
  return more > 0 ? [...cells, [dimension, `and ${more} more groups | | | |`]] : cells;
}

/** Escapes a group's name, which is untrusted: Markdown must not end the cell or begin a link or a tag. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|&]/g, (sign) => `\\${sign}`);
}
