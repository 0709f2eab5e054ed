import { contentId } from '../../base/ids.ts';
import type { JsonValue } from '../../base/json.ts';
import { canonicalBody } from '../../schemas/coa/bodies.ts';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import { type Block, layOutBlocks, normaliseText, serializeBlocks } from '../../schemas/coa/layout.ts';
import { neutralise, restore } from '../../schemas/coa/neutralise.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import type { ParseIssue } from '../../schemas/coa/parseIssue.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { readDatasetRow, unfitFor } from '../../schemas/rows/codecTable.ts';
import { type DatasetRow, isProblem } from '../../schemas/rows/datasetRow.ts';
import { askedIn, questionOf } from '../../schemas/rows/rowQuestion.ts';
import { taskId } from '../../schemas/task.ts';
import { traceId } from '../../schemas/trace.ts';
import { type Quality, type Trajectory, trajectoryId } from '../../schemas/trajectory.ts';
import { malformed, refusal } from './rowRefusal.ts';

/** What making a trajectory of a dataset row needs to know besides the row. */
export interface RowContext {
  /** `--profile`, or every profile that a row may be of. */
  readonly profiles: readonly Profile[];
  /** System turn of rows that have none. */
  readonly systemPrompt: string;
  /** Gives back text in which our export escaped the tokenizer's special tokens; absent: text stays as it is. */
  readonly unescapeTokens?: (text: string) => string;
  /** Figures of blocks; the stage that converts traces has the rules. */
  readonly measureQuality: (profile: Profile, blocks: readonly Block[], neutralised: number) => Quality;
}

/** A row as a trajectory, and what had to be done to it. */
export interface ImportedRow {
  readonly trajectory: Trajectory;
  /** Codes such as `layout_repaired`. */
  readonly remarks: readonly string[];
}

/** What a row says. Throws `RowRefusal` for one that can't be read, or holds no answer or two. */
export function readOneAnswer(value: JsonValue): DatasetRow {
  const read = readDatasetRow(value);
  const refused = isProblem(read) ? read : unfitFor('one_answer', read);
  if (refused) throw malformed({ ...refused, message: refused.problem });
  return read as DatasetRow;
}

/** A row that holds one answer. */
type AnsweredRow = DatasetRow & { readonly text: string };

/**
 * Reads a dataset row, AFM's layout among them, back into segments. White space between tags is laid out again and
 * look-alikes of structure in observations are escaped, and special tokens that our export escaped are as they were, or
 * each import and export would escape them once more; every word stays. What the row can't hold is empty or made from
 * its content: gold answers and tests, verdicts, and the ids of task, trace and events.
 *
 * @throws RowRefusal for a row without an answer, or whose text does not parse
 */
export function importDatasetRow(row: DatasetRow, context: RowContext): ImportedRow {
  if (!isAnswered(row)) throw refusal('no_answer', '');
  const profile = profileOfRow(row, context.profiles);
  const read = readOutput(profile, row.text, context.unescapeTokens);
  const { issue } = read;
  if (issue) {
    const path = row.format === 'alpaca' ? 'output' : row.format;
    throw malformed({ ...issue, path, message: `${issue.message} (character ${issue.offset})` });
  }
  const trajectory = trajectoryOf(row, profile, read.blocks, context);
  return { trajectory, remarks: remarksOf(profile, read) };
}

function isAnswered(row: DatasetRow): row is AnsweredRow {
  return row.text !== null;
}

function trajectoryOf(
  row: AnsweredRow,
  profile: Profile,
  blocks: readonly Block[],
  { systemPrompt, measureQuality, unescapeTokens = asItIs }: RowContext,
): Trajectory {
  const asked = questionOf(row, [profile]);
  if (asked === null) throw refusal('no_question', 'input');
  const question = unescapeTokens(asked);
  const answers = [...row.gold];
  const task_id = taskId({ question, answers, domain: profile.domain, profile: profile.name });
  const segments = layOutBlocks(blocks).map(({ tag, origin, text }, at) => ({
    tag,
    origin,
    text,
    event: contentId('event', { task_id, index: at, tag, text }),
  }));
  const content = {
    task_id,
    profile: profile.name,
    system: row.system === null ? systemPrompt : unescapeTokens(row.system),
    user: userOf(row.user ?? '', profile, unescapeTokens),
    segments,
  };
  const texts = [
    question,
    ...blocks.filter((block) => block.origin === 'environment').map((block) => block.body),
  ];
  const tags = structuralTagsOf(profile);
  const neutralised = texts.reduce((sum, text) => sum + neutralise(restore(text, tags), tags).count, 0);
  return {
    id: trajectoryId(content),
    trace_id: traceId(
      { task_id },
      segments.map((segment) => ({ id: segment.event })),
    ),
    ...content,
    domain: profile.domain,
    question,
    answers,
    quality: measureQuality(profile, blocks, neutralised),
  };
}

/** The user turn. A profile's own words before the question are never escaped, and may name special tokens. */
function userOf(user: string, profile: Profile, unescapeTokens: (text: string) => string): string {
  const { question, profile: prompted } = askedIn(user, [profile]);
  const from = prompted ? user.length - question.length : 0;
  return user.slice(0, from) + unescapeTokens(user.slice(from));
}

function remarksOf(profile: Profile, { blocks, isRepaired, isLaidOut }: ReadOutput): string[] {
  return [
    ...(isRepaired ? ['text_repaired'] : isLaidOut ? [] : ['layout_repaired']),
    ...(checkGrammar(profile, blocks).length > 0 ? ['breaks_grammar'] : []),
  ];
}

/**
 * The profile that a row is of: the one whose own prompt the row carries, or else, of those whose grammar its text keeps
 * (of all, where none does), the one that fits its tags best, as `lint` guesses it.
 */
function profileOfRow({ user, text, profile: named }: AnsweredRow, candidates: readonly Profile[]): Profile {
  const stated = candidates.find(({ name }) => name === named) ?? askedIn(user ?? '', candidates).profile;
  if (stated) return stated;
  const fitting = candidates.filter((profile) => keepsGrammar(profile, text));
  return guessProfile(fitting.length > 0 ? fitting : candidates, text);
}

function keepsGrammar(profile: Profile, output: string): boolean {
  const { blocks, issue } = readOutput(profile, output);
  return issue === undefined && checkGrammar(profile, blocks).length === 0;
}

/** The output column as blocks, made fit for a row of ours. */
interface ReadOutput {
  readonly blocks: readonly Block[];
  /** Why it is no sequence of blocks; white space between them aside. */
  readonly issue: ParseIssue | undefined;
  /** True where the text of a block had to be changed: to the form in which it is written, or to be no structure. */
  readonly isRepaired: boolean;
  /** False where there was other white space between the blocks. */
  readonly isLaidOut: boolean;
}

const asItIs = (text: string) => text;

/** Reads an output column. */
function readOutput(profile: Profile, output: string, unescapeTokens = asItIs): ReadOutput {
  const { blocks: parsed, issues } = parseBlocks(profile, output.trim());
  const found = parsed.map((block) => ({ ...block, body: unescapeTokens(block.body) }));
  const blocks = found.map((block) => writtenBlock(profile, block));
  const grave = issues.filter((issue) => issue.code !== 'wrong_layout');
  return {
    blocks,
    // Text without any tag is between tags, but that there are none says more.
    issue:
      grave.findLast((issue) => issue.code === 'no_blocks' && grave[0]?.code === 'text_between_tags') ??
      grave[0],
    isRepaired: blocks.some((block, at) => block.body !== found[at]!.body),
    isLaidOut: serializeBlocks(parsed) === output,
  };
}

/** Text between tags in the normal form of rows; look-alikes in observations escaped, unless they are already. */
function writtenBlock(profile: Profile, { tag, origin, body }: Block): Block {
  const normal = normaliseText(body);
  if (origin === 'model') return { tag, origin, body: canonicalBody(tagRule(profile, tag)!.body, normal) };
  const tags = structuralTagsOf(profile);
  const isEscaped = neutralise(restore(normal, tags), tags).text === normal;
  const text = isEscaped ? normal : neutralise(normal, tags).text;
  return { tag, origin, body: `\n${text.replace(/^\n/, '').replace(/\n$/, '')}\n` };
}
