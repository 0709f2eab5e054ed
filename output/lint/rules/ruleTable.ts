import type { LintRule } from './rule.ts';
import { structureRules } from './structureRules.ts';

/** What AFM's fork of LLaMA-Factory does wrong with a row when it looks for observations by their tokens. */
const maskRules = {
  afm_bracket_before_tag: {
    severity: 'error',
    title: 'a bracket or other sign right before `<observation>`',
    why: '`><` is one token, so AFM’s fork does not see the tag and trains on the whole observation. Put one line feed between.',
    fixable: true,
  },
  afm_space_before_tag: {
    severity: 'error',
    title: 'a space right before `<observation>`',
    why: 'A space and `<` are one token, so AFM’s fork does not see the tag and trains on the observation. Use one line feed alone.',
    fixable: true,
  },
  afm_wrong_case: {
    severity: 'error',
    title: 'an observation tag in the wrong case',
    why: 'AFM’s fork matches `<observation>` to the letter; any other case is trained on, or the row is dropped.',
    fixable: false,
  },
  afm_start_missed: {
    severity: 'error',
    title: 'an observation whose start tokens differ for another reason',
    why: 'The tokenizer merges `<observation` with what stands around it, so AFM’s fork trains on the observation.',
    fixable: false,
  },
  afm_missing_blank_line: {
    severity: 'error',
    title: '`</observation>` that is not followed by exactly one blank line',
    why: 'AFM’s fork ends a mask only at `observation>` and two line feeds: otherwise the row is dropped, or what follows is masked too.',
    fixable: true,
  },
  afm_quoted_end_marker: {
    severity: 'error',
    title: 'the closing marker quoted inside an observation',
    why: 'AFM’s fork ends the mask there and trains on the rest of the observation. Neutralise it: `observation\\>`.',
    fixable: false,
  },
  afm_stray_start_marker: {
    severity: 'error',
    title: 'start tokens of an observation where none begins',
    why: '`<observation` in other text opens a mask in AFM’s fork, up to the next valid end.',
    fixable: false,
  },
  afm_spans_model_text: {
    severity: 'error',
    title: 'model text that is masked',
    why: 'A mask that a bad close left open runs on to a later good one: AFM’s fork does not train on the blocks between.',
    fixable: false,
  },
  afm_count_mismatch: {
    severity: 'error',
    title: 'unequal numbers of `<observation>` and `</observation>`',
    why: 'AFM’s fork counts the tags in the text and drops the row.',
    fixable: false,
  },
  afm_wrong_nesting: {
    severity: 'error',
    title: '`</observation>` before its `<observation>`',
    why: 'AFM’s fork drops a row in which an end comes before its start.',
    fixable: false,
  },
  afm_unclosed: {
    severity: 'error',
    title: 'a mask that never ends',
    why: 'AFM’s fork drops the row when the end tokens of the last observation are missing.',
    fixable: false,
  },
} as const satisfies Record<string, LintRule>;

/** Rules about files, rows and characters. */
const textRules = {
  broken_row: {
    severity: 'error',
    title: 'a row that is not a JSON object in UTF-8',
    why: 'Trainers stop at such a row or pass over it. Write the file again with a JSON library.',
    fixable: false,
  },
  unknown_row: {
    severity: 'error',
    title: 'a row of no known layout',
    why: 'Known are alpaca columns (`instruction`, `input`, `output`), `conversations` or `messages`, and trajectories with `segments`. Rename the columns.',
    fixable: false,
  },
  byte_order_mark: {
    severity: 'warning',
    title: 'a byte order mark at the start of the text',
    why: 'The model would learn to begin with an invisible character.',
    fixable: true,
  },
  carriage_return: {
    severity: 'error',
    title: 'a carriage return',
    why: 'CRLF line ends make other tokens than LF ones, and AFM’s fork finds no observation end before one.',
    fixable: true,
  },
  not_nfc: {
    severity: 'warning',
    title: 'text that is not in Unicode normal form C',
    why: 'Qwen’s tokenizer normalises to NFC, so masks that were computed on the text as it stands are off.',
    fixable: true,
  },
  nul_character: {
    severity: 'error',
    title: 'a NUL character',
    why: 'It comes from binary data that was read as text, and C programs end a text there. Take it out at the source.',
    fixable: false,
  },
  lone_surrogate: {
    severity: 'error',
    title: 'half of a surrogate pair',
    why: 'It is no Unicode character and can’t be encoded as UTF-8: some character was cut in two. Cut the text elsewhere.',
    fixable: false,
  },
  control_token: {
    severity: 'error',
    title: 'a control token of a chat template in the text',
    why: 'Trainers turn `<|im_end|>` and its like into the control token itself, which ends the turn there. Neutralise it.',
    fixable: false,
  },
} as const satisfies Record<string, LintRule>;

/** Every rule of the linter by its id: findings, SARIF and the documentation page all read this table. */
export const lintRules = { ...textRules, ...structureRules, ...maskRules } satisfies Record<string, LintRule>;

/** The id of a rule. */
export type RuleId = keyof typeof lintRules;

/** The ids in the order of the documentation page. */
export const ruleIds = Object.keys(lintRules) as RuleId[];

const groups = [
  { title: 'Files, rows and characters', rules: textRules },
  { title: 'Tags, order and content', rules: structureRules },
  { title: 'What AFM’s fork would do', rules: maskRules },
] as const;

/** A rule's title as a sentence. */
export function ruleTitle(rule: RuleId): string {
  const { title } = lintRules[rule];
  return `${title.slice(0, 1).toUpperCase()}${title.slice(1)}.`;
}

/** The documentation page of the rules, made from their table. */
export function renderRuleDocs(): string {
  const sections = groups.map(({ title, rules }) => {
    const rows = (Object.keys(rules) as RuleId[]).map(ruleRow);
    return `## ${title}\n\n| rule | severity | finds | why, and what to do | \`--fix\` |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${introduction}\n${sections.join('\n')}`;
}

function ruleRow(rule: RuleId): string {
  const { severity, title, why, fixable } = lintRules[rule];
  const cells = [`\`${rule}\``, severity, title, why, fixable ? 'yes' : ''];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

const introduction = `# Lint rules

<!-- before: coa-distill run -->
\`\`\`sh
coa-distill lint runs/coa/dataset
\`\`\`

\`coa-distill lint FILE...\` checks Chain-of-Agents rows in [files of rows](formats.md#files-that-others-wrote): alpaca columns, \`conversations\` or \`messages\`, and \`trajectories.jsonl\`. It exits with 1 when a rule of severity error spoke. There are ${ruleIds.length} rules.

A finding names the file, the row, the line of the file on which the row begins (parquet and Arrow have none), and line and column within the row's trajectory text: JSON writes that text with escapes, so its lines are not the file's. Columns count UTF-16 code units. At most ten findings of one rule are told for one row.

Order and content are checked against the profile named with \`--profile\`, else the row's own, else the one that fits its tags best; the summary says which were guessed.

This page is made from the rules' table.
`;
