import type { LintRule } from './rule.ts';

/** What AFM's fork of LLaMA-Factory does wrong with a row when it looks for observations by their tokens. */
export const maskRules = {
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
