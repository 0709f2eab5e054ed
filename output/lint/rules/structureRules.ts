import { error, type LintRule, warning } from './rule.ts';

/** Rules about tags, their order and what they hold. */
export const structureRules = {
  no_blocks: error(
    'a text without any tagged block',
    'It is no Chain-of-Agents trajectory, or its tags are not those of the profile.',
  ),
  missing_end_tag: error(
    'a tag that is never closed',
    'Everything after it belongs to that block for a parser. Truncated generations end like this: drop the row.',
  ),
  unexpected_end_tag: error(
    'an end tag without its start tag',
    'Tags must pair up, or masks and inference loops cut the text in the wrong places.',
  ),
  adjacent_openings: error(
    'the same start tag twice in a row',
    'AFM’s released format check rejects such rows: the first tag is never closed.',
  ),
  nested_tag: error(
    'a tag that opens inside another block',
    'Tags never nest. A tool’s output that quotes tags has to be escaped; model text must not hold them.',
  ),
  tag_in_text: error(
    'a tag of another profile or of a chat template in a block’s text',
    'A model that writes tags inside its text derails the inference loop, which stops at every end tag of a tool.',
  ),
  unknown_tag: error(
    'a tag between blocks that the profile does not have',
    'The inference loop has nobody to run it. Check the spelling, or name another profile.',
  ),
  wrong_case_tag: error(
    'a tag in the wrong case or with spaces in it',
    'Tags are matched to the letter: `<Think>` and `<think >` are text.',
  ),
  text_between_tags: error(
    'words that stand between blocks',
    'No agent owns them, so the model learns to talk outside its roles.',
  ),
  wrong_layout: warning(
    'other white space between blocks than the safe layout has',
    'One line feed after a block of the model, none after the last, two after `</observation>`: the one spacing that every trainer masks rightly.',
  ),
  empty_block: error('a block without text', 'It teaches the model to call an agent that says nothing.'),
  bad_body: error(
    'a block whose content has the wrong form',
    'Programs stand in one fenced `py` block, scores and grades in their fixed wording, URLs joined by `|`: the inference loop parses them.',
  ),
  missing_think: error(
    'an action without the thinking it needs',
    'The profile’s grammar has a thinking block before this action.',
  ),
  misplaced_think: error(
    'thinking where the grammar has none',
    'Two thinking blocks in a row, or one before an action that takes none.',
  ),
  missing_observation: error(
    'a tool call without its observation',
    'The model learns to go on without waiting for the tool.',
  ),
  misplaced_observation: error(
    'an observation without a tool call',
    'The model would meet tool output that it never asked for.',
  ),
  not_allowed_here: error(
    'an action that the grammar does not allow at this place',
    'The message names what may stand here. `coa-distill show profile PROFILE` prints the whole table.',
  ),
  not_once: error(
    'a second block of a tag that occurs once',
    'A second `<answer>` or plan contradicts the first; graders read only one.',
  ),
  not_finished: error(
    'a trajectory that does not end with its answer',
    'The last block must be the final one of the profile, or the model learns never to stop.',
  ),
  duplicate_query: warning(
    'the same tool input twice',
    'The paper drops trajectories with redundant tool inputs. Case and white space are folded.',
  ),
  duplicate_block: warning(
    'two blocks of one tag with the same words',
    'AFM’s format check counts them as loops of the teacher. Grades, scores and suggested answers may repeat.',
  ),
  look_alike_in_observation: warning(
    'text in an observation that looks like structure',
    'A page that holds tags can move masks and end turns. Importing the row escapes them, reversibly.',
  ),
} satisfies Record<string, LintRule>;
