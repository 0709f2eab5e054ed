import type { LintRule } from './rule.ts';

/** Rules about tags, their order and what they hold. */
export const structureRules = {
  no_blocks: {
    severity: 'error',
    title: 'a text without any tagged block',
    why: 'It is no Chain-of-Agents trajectory, or its tags are not those of the profile.',
    fixable: false,
  },
  missing_end_tag: {
    severity: 'error',
    title: 'a tag that is never closed',
    why: 'Everything after it belongs to that block for a parser. Truncated generations end like this: drop the row.',
    fixable: false,
  },
  unexpected_end_tag: {
    severity: 'error',
    title: 'an end tag without its start tag',
    why: 'Tags must pair up, or masks and inference loops cut the text in the wrong places.',
    fixable: false,
  },
  adjacent_openings: {
    severity: 'error',
    title: 'the same start tag twice in a row',
    why: 'AFM’s released format check rejects such rows: the first tag is never closed.',
    fixable: false,
  },
  nested_tag: {
    severity: 'error',
    title: 'a tag that opens inside another block',
    why: 'Tags never nest. A tool’s output that quotes tags has to be neutralised; model text must not hold them.',
    fixable: false,
  },
  tag_in_text: {
    severity: 'error',
    title: 'a tag of another profile or of a chat template in a block’s text',
    why: 'A model that writes tags inside its text derails the inference loop, which stops at every end tag of a tool.',
    fixable: false,
  },
  unknown_tag: {
    severity: 'error',
    title: 'a tag between blocks that the profile does not have',
    why: 'The inference loop has nobody to run it. Check the spelling, or name another profile.',
    fixable: false,
  },
  wrong_case_tag: {
    severity: 'error',
    title: 'a tag in the wrong case or with spaces in it',
    why: 'Tags are matched to the letter: `<Think>` and `<think >` are text.',
    fixable: false,
  },
  text_between_tags: {
    severity: 'error',
    title: 'words that stand between blocks',
    why: 'No agent owns them, so the model learns to talk outside its roles.',
    fixable: false,
  },
  wrong_layout: {
    severity: 'warning',
    title: 'other white space between blocks than the safe layout has',
    why: 'One line feed after a block of the model, none after the last, two after `</observation>`: the one spacing that every trainer masks rightly.',
    fixable: true,
  },
  empty_block: {
    severity: 'error',
    title: 'a block without text',
    why: 'It teaches the model to call an agent that says nothing.',
    fixable: false,
  },
  bad_body: {
    severity: 'error',
    title: 'a block whose content has the wrong form',
    why: 'Programs stand in one fenced `py` block, scores and grades in their fixed wording, URLs joined by `|`: the inference loop parses them.',
    fixable: false,
  },
  missing_think: {
    severity: 'error',
    title: 'an action without the thinking it needs',
    why: 'The profile’s grammar has a thinking block before this action.',
    fixable: false,
  },
  misplaced_think: {
    severity: 'error',
    title: 'thinking where the grammar has none',
    why: 'Two thinking blocks in a row, or one before an action that takes none.',
    fixable: false,
  },
  missing_observation: {
    severity: 'error',
    title: 'a tool call without its observation',
    why: 'The model learns to go on without waiting for the tool.',
    fixable: false,
  },
  misplaced_observation: {
    severity: 'error',
    title: 'an observation without a tool call',
    why: 'The model would meet tool output that it never asked for.',
    fixable: false,
  },
  not_allowed_here: {
    severity: 'error',
    title: 'an action that the grammar does not allow at this place',
    why: 'The message names what may stand here. `coa-distill grammar PROFILE` prints the whole table.',
    fixable: false,
  },
  not_once: {
    severity: 'error',
    title: 'a second block of a tag that occurs once',
    why: 'A second `<answer>` or plan contradicts the first; graders read only one.',
    fixable: false,
  },
  not_finished: {
    severity: 'error',
    title: 'a trajectory that does not end with its answer',
    why: 'The last block must be the final one of the profile, or the model learns never to stop.',
    fixable: false,
  },
  duplicate_query: {
    severity: 'warning',
    title: 'the same tool input twice',
    why: 'The paper drops trajectories with redundant tool inputs. Case and white space are folded.',
    fixable: false,
  },
  duplicate_block: {
    severity: 'warning',
    title: 'two blocks of one tag with the same words',
    why: 'AFM’s format check counts them as loops of the teacher. Grades, scores and suggested answers may repeat.',
    fixable: false,
  },
  look_alike_in_observation: {
    severity: 'warning',
    title: 'text in an observation that looks like structure',
    why: 'A page that holds tags can move masks and end turns. Importing the row neutralises them, reversibly.',
    fixable: false,
  },
} as const satisfies Record<string, LintRule>;
