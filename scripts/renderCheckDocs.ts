import { ruleGroups } from '../output/check/rules.ts';
import { markdownTable } from '../output/dataset/formatReadme.ts';

/** The documentation page of `coa-distill check`, made from the table of rules. */
export function renderCheckDocs(): string {
  const sections = Object.entries(ruleGroups).map(([title, rules]) => {
    const rows = Object.entries(rules).map(([rule, { severity, finds, advice }]) => [
      `\`${rule}\`${severity === 'warning' ? ' (warning)' : ''}`,
      finds,
      advice,
    ]);
    return `## ${title}\n\n${markdownTable(['rule', 'finds', 'what to do'], rows)}\n`;
  });
  return `${introduction}\n${sections.join('\n')}`;
}

const introduction = `# Checking rows

<!-- before: coa-distill run examples/quickstart.yaml --limit 8
cp runs/quickstart/dataset/afm/quickstart.json web_sft.json
-->
\`\`\`sh
coa-distill check quickstart                       # a run: all formats of its dataset
coa-distill check web_sft.json                     # anyone's rows, in files or folders
\`\`\`

Exit code: 0 without errors, 1 with errors, 2 if the input can't be read; warnings do not count. \`--json\` prints a [finding](records.md#check-finding) per line, then \`{"totals": ...}\` ([keys](records.md#check-totals)). Rows may have any [layout](formats.md#layouts-of-rows) with an answer; other files in a folder are passed over.

**Masks** are worked out again without the exporter's code: Hugging Face's \`tokenizers\` encode the whole text (or the decoded ids), control tokens separate turns, tags tell who wrote what. Rows of AFM's layout are masked as AFM's fork of LLaMA-Factory masks them. In a dataset of coa-distill, each format is also compared with \`trajectories.jsonl\`, the other formats and \`manifest.json\`. \`--sample N\` limits this to about N rows per file.

**Texts** of agents are checked against a profile: \`--profile\`, else the row's own, else the one that fits the tags best. Ordinary chats have none; only characters are checked. At most ten findings of a rule are reported per row.

**Other people's rows.** Turns without markup are rendered as ChatML, or as Llama 3 if the tokenizer is. What is in the loss follows from the [layout](formats.md#layouts-of-rows); \`in the loss:\` in the sums says which trainers train so. In rows of agents, blocks of unknown tags, text after a call without an observation, \`Observation:\` lines and \`output\` fences behind programs are errors if they are in the loss. \`--observation-tag NAME\` names the tag of tools, which AFM's fork is then taken to mask.
`;
