import { error, type LintRule, warning } from './rule.ts';
import { structureRules } from './structureRules.ts';

/** What AFM's fork of LLaMA-Factory does wrong with a row when it looks for observations by their tokens. */
const maskRules = {
  afm_bracket_before_tag: error(
    'a bracket or other sign right before `<observation>`',
    '`><` is one token, so AFM’s fork does not see the tag and trains on the whole observation. Put one line feed between.',
  ),
  afm_space_before_tag: error(
    'a space right before `<observation>`',
    'A space and `<` are one token, so AFM’s fork does not see the tag and trains on the observation. Use one line feed alone.',
  ),
  afm_wrong_case: error(
    'an observation tag in the wrong case',
    'AFM’s fork matches `<observation>` to the letter; any other case is trained on, or the row is dropped.',
  ),
  afm_start_missed: error(
    'an observation whose start tokens differ for another reason',
    'The tokenizer merges `<observation` with what stands around it, so AFM’s fork trains on the observation.',
  ),
  afm_missing_blank_line: error(
    '`</observation>` that is not followed by exactly one blank line',
    'AFM’s fork ends a mask only at `observation>` and two line feeds: otherwise the row is dropped, or what follows is masked too.',
  ),
  afm_quoted_end_marker: error(
    'the closing marker quoted inside an observation',
    'AFM’s fork ends the mask there and trains on the rest of the observation. Escape it: `observation\\>`.',
  ),
  afm_stray_start_marker: error(
    'start tokens of an observation where none begins',
    '`<observation` in other text opens a mask in AFM’s fork, up to the next valid end.',
  ),
  afm_spans_model_text: error(
    'model text that is masked',
    'A mask that a bad close left open runs on to a later good one: AFM’s fork does not train on the blocks between.',
  ),
  afm_count_mismatch: error(
    'unequal numbers of `<observation>` and `</observation>`',
    'AFM’s fork counts the tags in the text and drops the row.',
  ),
  afm_wrong_nesting: error(
    '`</observation>` before its `<observation>`',
    'AFM’s fork drops a row in which an end comes before its start.',
  ),
  afm_unclosed: error(
    'a mask that never ends',
    'AFM’s fork drops the row when the end tokens of the last observation are missing.',
  ),
} satisfies Record<string, LintRule>;

/** Rules about files, rows and characters. */
const textRules = {
  broken_row: error(
    'a row that is not a JSON object in UTF-8',
    'Trainers stop at such a row or pass over it. Write the file again with a JSON library.',
  ),
  unknown_row: error(
    'a row of no known layout',
    'Known are the [layouts](formats.md#layouts-of-rows) that hold an answer. Rename the columns.',
  ),
  byte_order_mark: warning(
    'a byte order mark at the start of the text',
    'The model would learn to begin with an invisible character.',
  ),
  carriage_return: error(
    'a carriage return',
    'CRLF line ends make other tokens than LF ones, and AFM’s fork finds no observation end before one.',
  ),
  not_nfc: warning(
    'text that is not in Unicode normal form C',
    'Qwen’s tokenizer normalises to NFC, so masks that were computed on the text as it stands are off.',
  ),
  nul_character: error(
    'a NUL character',
    'It comes from binary data that was read as text, and C programs end a text there. Take it out at the source.',
  ),
  lone_surrogate: error(
    'half of a surrogate pair',
    'It is no Unicode character and can’t be encoded as UTF-8: some character was cut in two. Cut the text elsewhere.',
  ),
  control_token: error(
    'a control token of a chat template in the text',
    'Trainers turn `<|im_end|>` and its like into the control token itself, which ends the turn there. Escape it.',
  ),
} satisfies Record<string, LintRule>;

/** Every rule of the linter by its id: findings and the documentation page read this table. */
export const lintRules = { ...textRules, ...structureRules, ...maskRules } satisfies Record<string, LintRule>;

/** The id of a rule. */
export type RuleId = keyof typeof lintRules;

/** The ids in the order of the documentation page. */
export const ruleIds = Object.keys(lintRules) as RuleId[];

/** The rules under the titles of their documentation page. */
export const ruleGroups: Readonly<Record<string, Partial<Record<RuleId, LintRule>>>> = {
  'Files, rows and characters': textRules,
  'Tags, order and content': structureRules,
  'What AFM’s fork would do': maskRules,
};
