import { contentId } from '../../base/ids.ts';
import type { JsonValue } from '../../base/json.ts';
import { canonicalBody } from '../../schemas/coa/bodies.ts';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { escapeStructure, unescapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import { type Block, layOutBlocks, normaliseText, serializeBlocks } from '../../schemas/coa/layout.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { readDatasetRow, unfitFor } from '../../schemas/rows/codecTable.ts';
import { type DatasetRow, isProblem } from '../../schemas/rows/datasetRow.ts';
import { askedIn, questionOf } from '../../schemas/rows/rowQuestion.ts';
import { taskId } from '../../schemas/task.ts';
import { traceId } from '../../schemas/trace.ts';
import { type Quality, type Trajectory, trajectoryId } from '../../schemas/trajectory.ts';
import { malformed, refusal } from './rowRefusal.ts';

export interface RowContext {
  /** `--profile`, or all possible profiles of a row. */
  readonly profiles: readonly Profile[];
  /** System turn of rows without one. */
  readonly systemPrompt: string;
  /** Restores special tokens escaped by our export; absent: text is unchanged. */
  readonly unescapeTokens?: (text: string) => string;
  /** Measures of blocks, injected from the conversion stage. */
  readonly measureQuality: (profile: Profile, blocks: readonly Block[], neutralised: number) => Quality;
}

/** Parses a row. Throws `RowRefusal` for an unreadable one, or one without exactly one answer. */
export function readOneAnswer(value: JsonValue): DatasetRow {
  const read = readDatasetRow(value);
  const refused = isProblem(read) ? read : unfitFor('one_answer', read);
  if (refused) throw malformed(refused.code, refused.path, refused.problem);
  return read as DatasetRow;
}

/**
 * Converts a dataset row, including AFM's layout, to segments. White space between tags is normalised, look-alikes of
 * structure in observations are escaped, and special tokens escaped by our export are restored, so that repeated
 * import and export is stable; every word stays. Missing data is empty or derived from the content: gold answers and
 * tests, verdicts, and the ids of task, trace and events.
 * @throws RowRefusal for a row without an answer, or whose text does not parse
 */
export function importDatasetRow(row: DatasetRow, context: RowContext) {
  const { text, format } = row;
  if (text === null) throw refusal('no_answer', '');
  const profile = profileOfRow({ ...row, text }, context.profiles);
  const { blocks, issue, remarks } = readOutput(profile, text, context.unescapeTokens);
  if (issue) {
    const path = format === 'alpaca' ? 'output' : format;
    throw malformed(issue.code, path, `${issue.message} (character ${issue.offset})`);
  }
  return { trajectory: trajectoryOf(row, profile, blocks, context), remarks };
}

function trajectoryOf(
  row: DatasetRow,
  profile: Profile,
  blocks: readonly Block[],
  { systemPrompt, measureQuality, unescapeTokens = asItIs }: RowContext,
): Trajectory {
  const asked = questionOf(row, [profile]);
  if (asked === null) throw refusal('no_question', 'input');
  const stated = { question: unescapeTokens(asked), answers: [...row.gold], domain: profile.domain };
  const task_id = taskId({ ...stated, profile: profile.name });
  const segments = layOutBlocks(blocks).map(({ tag, origin, text }, at) => {
    return { tag, origin, text, event: contentId('event', { task_id, index: at, tag, text }) };
  });
  const content = {
    task_id,
    profile: profile.name,
    system: row.system === null ? systemPrompt : unescapeTokens(row.system),
    user: userOf(row.user ?? '', profile, unescapeTokens),
    segments,
  };
  const observed = blocks.filter(({ origin }) => origin === 'environment').map(({ body }) => body);
  const tags = structuralTagsOf(profile);
  const neutralised = [stated.question, ...observed].map(
    (text) => escapeStructure(unescapeStructure(text, tags), tags).count,
  );
  const events = segments.map(({ event: id }) => ({ id }));
  return {
    id: trajectoryId(content),
    trace_id: traceId({ task_id }, events),
    ...content,
    ...stated,
    quality: measureQuality(
      profile,
      blocks,
      neutralised.reduce((sum, count) => sum + count, 0),
    ),
  };
}

/** User turn. The profile's own text before the question is never escaped, and may contain special tokens. */
function userOf(user: string, profile: Profile, unescapeTokens: (text: string) => string): string {
  const { question, profile: prompted } = askedIn(user, [profile]);
  const from = prompted ? user.length - question.length : 0;
  return user.slice(0, from) + unescapeTokens(user.slice(from));
}

/**
 * Profile of a row: the one whose prompt it carries, otherwise the best match by tags among those whose grammar
 * accepts it (among all if none does), like the guess of `check`.
 */
function profileOfRow(
  { user, text, profile: named }: Pick<DatasetRow, 'user' | 'profile'> & { readonly text: string },
  candidates: readonly Profile[],
): Profile {
  const stated = candidates.find(({ name }) => name === named) ?? askedIn(user ?? '', candidates).profile;
  if (stated) return stated;
  const fitting = candidates.filter((profile) => {
    const { issue, remarks } = readOutput(profile, text);
    return issue === undefined && !remarks.includes('breaks_grammar');
  });
  return guessProfile(fitting.length > 0 ? fitting : candidates, text);
}

const asItIs = (text: string) => text;

/**
 * Model text as blocks for a row of ours, the changes it needed (as report codes), and the reason why it is not a
 * sequence of blocks, ignoring white space between them.
 */
function readOutput(profile: Profile, output: string, unescapeTokens = asItIs) {
  const { blocks: parsed, issues } = parseBlocks(profile, output.trim());
  const found = parsed.map((block) => ({ ...block, body: unescapeTokens(block.body) }));
  const blocks = found.map((block) => writtenBlock(profile, block));
  const grave = issues.filter((issue) => issue.code !== 'wrong_layout');
  // Text without any tag is also between tags, but the missing tags are the better reason.
  const isTagless = grave[0]?.code === 'text_between_tags';
  const isRepaired = blocks.some(({ body }, at) => body !== found[at]!.body);
  const isLaidOut = serializeBlocks(parsed) === output;
  return {
    blocks,
    issue: (isTagless ? grave.findLast(({ code }) => code === 'no_blocks') : undefined) ?? grave[0],
    remarks: [
      ...(isRepaired ? ['text_repaired'] : isLaidOut ? [] : ['layout_repaired']),
      ...(checkGrammar(profile, blocks).length > 0 ? ['breaks_grammar'] : []),
    ],
  };
}

/** Text between tags in the normal form of rows; look-alikes in observations are escaped once. */
function writtenBlock(profile: Profile, { tag, origin, body }: Block): Block {
  const normal = normaliseText(body);
  if (origin === 'model') return { tag, origin, body: canonicalBody(tagRule(profile, tag)!.body, normal) };
  const tags = structuralTagsOf(profile);
  const isEscaped = escapeStructure(unescapeStructure(normal, tags), tags).text === normal;
  const text = isEscaped ? normal : escapeStructure(normal, tags).text;
  return { tag, origin, body: `\n${text.replace(/^\n/, '').replace(/\n$/, '')}\n` };
}
