import { z } from 'zod';
import { contentId } from '../../base/ids.ts';
import type { JsonValue } from '../../base/json.ts';
import { canonicalBody } from '../../schemas/coa/bodies.ts';
import { checkGrammar } from '../../schemas/coa/check.ts';
import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import { type Block, layOutBlocks, normaliseText, serializeBlocks } from '../../schemas/coa/layout.ts';
import { neutralise, restore } from '../../schemas/coa/neutralise.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import type { ParseIssue } from '../../schemas/coa/parseIssue.ts';
import { type Profile, renderPrompt, tagRule } from '../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { taskId } from '../../schemas/task.ts';
import { traceId } from '../../schemas/trace.ts';
import { type Quality, type Trajectory, trajectoryId } from '../../schemas/trajectory.ts';
import { parseRow, RowRefusal } from './rowRefusal.ts';

/** What importing an alpaca row needs to know besides the row. */
export interface AfmContext {
  /** `--profile`, or every profile that a row may be of. */
  readonly profiles: readonly Profile[];
  /** System turn: an alpaca row has none. */
  readonly systemPrompt: string;
  /** Gives back text in which our export escaped the tokenizer's special tokens; absent: text stays as it is. */
  readonly unescapeTokens?: (text: string) => string;
  /** Figures of blocks; the stage that converts traces has the rules. */
  readonly measureQuality: (profile: Profile, blocks: readonly Block[], neutralised: number) => Quality;
}

/** A row as a trajectory, and what had to be done to it. */
export interface ImportedAfmRow {
  readonly trajectory: Trajectory;
  /** Codes such as `layout_repaired`. */
  readonly remarks: readonly string[];
}

/**
 * Reads a row of AFM's layout (alpaca columns) back into segments. White space between tags is laid out again,
 * look-alikes of structure in observations are escaped, and special tokens that our export escaped are as they were,
 * or each import and export would escape them once more; every word stays. What an alpaca row can't hold is empty or
 * made from the row's content: gold answers and tests, verdicts, and the ids of task, trace and events.
 *
 * @throws RowRefusal for a row whose output does not parse
 */
export function importAfmRow(value: JsonValue, context: AfmContext): ImportedAfmRow {
  const columns = parseRow(afmColumnsSchema, value);
  const profile = profileOfRow(columns, context.profiles);
  const read = readOutput(profile, columns.output, context.unescapeTokens);
  const { issue } = read;
  if (issue) {
    throw new RowRefusal(
      'malformed_row',
      issue.code,
      'output',
      `${issue.message} (character ${issue.offset})`,
    );
  }
  const trajectory = trajectoryOf(columns, profile, read.blocks, context);
  return { trajectory, remarks: remarksOf(profile, read) };
}

function trajectoryOf(
  columns: AfmColumns,
  profile: Profile,
  blocks: readonly Block[],
  { systemPrompt, measureQuality, unescapeTokens = asItIs }: AfmContext,
): Trajectory {
  const { instruction: _, input: __, output: ___, ...extra } = columns;
  const question = unescapeTokens(questionOfRow(columns, profile));
  const answers = goldIn(extra);
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
    system: systemPrompt,
    user: userOfRow(columns, profile, unescapeTokens),
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

/** Gold answers, where a data set adds a column for them. */
function goldIn({ answers, answer }: Readonly<Record<string, unknown>>): string[] {
  return [answers ?? answer].flat().filter((text) => typeof text === 'string');
}

function remarksOf(profile: Profile, { blocks, isRepaired, isLaidOut }: ReadOutput): string[] {
  return [
    ...(isRepaired ? ['text_repaired'] : isLaidOut ? [] : ['layout_repaired']),
    ...(checkGrammar(profile, blocks).length > 0 ? ['breaks_grammar'] : []),
  ];
}

/** The columns of an alpaca row; data sets add others. */
const afmColumnsSchema = z.looseObject({
  instruction: z.string(),
  input: z.string().default(''),
  output: z.string().min(1),
});
/** The columns of a row of AFM's datasets. */
type AfmColumns = z.infer<typeof afmColumnsSchema>;

/**
 * The profile that a row is of: the one whose own prompt the row carries, or else, of those whose grammar its output
 * keeps (of all, where none does), the one that fits its tags best, as `lint` guesses it.
 */
function profileOfRow(columns: AfmColumns, candidates: readonly Profile[]): Profile {
  const prompted = candidates.find((profile) => promptedQuestion(columns, profile) !== undefined);
  if (prompted) return prompted;
  const fitting = candidates.filter((profile) => keepsGrammar(profile, columns.output));
  return guessProfile(fitting.length > 0 ? fitting : candidates, columns.output);
}

/** What is asked: what stands behind the profile's own prompt, or behind `Question:`, or else the whole user turn. */
function questionOfRow(columns: AfmColumns, profile: Profile): string {
  const { instruction, input } = columns;
  const found =
    promptedQuestion(columns, profile) ?? (input === '' ? instruction : input.replace(/^Question:\s*/, ''));
  if (found.trim() !== '') return found;
  throw new RowRefusal('unsupported_row', 'no_question', 'input', 'nothing says what was asked');
}

/** The user turn. A profile's own words before the question are never escaped, and may name special tokens. */
function userOfRow(columns: AfmColumns, profile: Profile, unescapeTokens: (text: string) => string): string {
  const user = userText(columns);
  const asked = promptedQuestion(columns, profile)?.length ?? user.length;
  return user.slice(0, user.length - asked) + unescapeTokens(user.slice(user.length - asked));
}

function userText({ instruction, input }: AfmColumns): string {
  return input === '' ? instruction : `${instruction}\n${input}`;
}

/** White space around the prompt is not the same in all of AFM's rows, and says nothing. */
function promptedQuestion(columns: AfmColumns, profile: Profile): string | undefined {
  const user = userText(columns).trimStart();
  const prompt = profile.instruction.trim();
  const before = renderPrompt(profile, '').user.slice(profile.instruction.length).trimStart();
  if (!user.startsWith(prompt)) return undefined;
  const asked = user.slice(prompt.length);
  const joined = asked.trimStart();
  return joined.length < asked.length && joined.startsWith(before) ? joined.slice(before.length) : undefined;
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
