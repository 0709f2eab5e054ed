import { z } from 'zod';
import { type ParsedText, parseBlocks } from '../parse.ts';
import { gapCodes, type ParseIssue, tagPatterns } from '../parseIssue.ts';
import { type Profile, tagOfKind, toolTags } from '../profile.ts';

/**
 * What a model or its server did otherwise than the format has it, in one step. None is tried again.
 *
 * | incident | rule |
 * |---|---|
 * | `stop_inside_token` | the server sent more than the stop text: what follows is left out |
 * | `stop_left_out` | the server left the stop text out: it is put back |
 * | `text_outside_tags` | words or unknown tags between blocks: they stay in the segment before them, and play goes on |
 * | `broken_tags` | tags that nest or do not match: a call or an answer inside another block is none, the step stays one segment, and play goes on |
 * | `invented_observation` | the model wrote an observation: it stays the model's text, and play goes on |
 * | `malformed_tool_input` | the tool is not called; the observation says what is wrong, and play goes on |
 * | `call_without_start_tag` | an end tag of a tool or the answer that nothing opened: play ends, `malformed_answer` |
 * | `ended_in_step` | the model ended its turn before an answer: play ends, `malformed_answer` |
 * | `cut_in_step` | the step reached the token limit before its end: play ends, `answer_truncated` or `context_exceeded` |
 */
export const incidentSchema = z.object({
  name: z.enum([
    'stop_inside_token',
    'stop_left_out',
    'text_outside_tags',
    'broken_tags',
    'invented_observation',
    'malformed_tool_input',
    'call_without_start_tag',
    'ended_in_step',
    'cut_in_step',
  ]),
  detail: z.string(),
});
export type Incident = z.infer<typeof incidentSchema>;

/** A model's continuation as received. */
interface Continuation {
  readonly text: string;
  readonly finish_reason: string | null;
  readonly stop?: string | null | undefined;
}

/** End of a step after which play can continue. */
type StepEnd = { readonly kind: 'tool' | 'answer'; readonly tag: string; readonly body: string };

export interface PlayedStep {
  /** Model text as in the trajectory, without the line feed after a call. */
  readonly text: string;
  readonly incidents: readonly Incident[];
  readonly end:
    | StepEnd
    /** Generation stopped inside a block, where a call does not count; the step is incomplete. */
    | { readonly kind: 'goes_on' }
    /** Play cannot continue. */
    | { readonly kind: 'broken_off'; readonly incident: Incident };
}

/** Tags that end a step of the profile: its tools and the answer. */
export function stopTagsOf(profile: Profile): string[] {
  return [...toolTags(profile), tagOfKind(profile, 'answer')!];
}

/** Blocks of a step with the first issue of each code, and its end. */
export interface ReadEnd extends ParsedText {
  /** First top-level call or answer with its end offset; undefined before one occurs. */
  readonly end: (StepEnd & { readonly at: number }) | undefined;
  /** True if a block is still open: a stop text inside it ends nothing. */
  readonly isOpen: boolean;
}

/**
 * Parses the end of a step. Tags never nest: a tag inside a thought or another block is neither a call nor an answer.
 * Shared by the player and the reinforcement learning environment, so that evaluation and training follow one rule.
 */
export function readEnd(
  profile: Profile,
  text: string,
  stops: readonly string[] = stopTagsOf(profile),
): ReadEnd {
  const parsed = parseBlocks(profile, text, 'first_of_each_code');
  const block = parsed.blocks.find(({ tag }) => stops.includes(tag));
  const isAnswer = block?.tag === tagOfKind(profile, 'answer');
  return {
    ...parsed,
    end: block && { kind: isAnswer ? 'answer' : 'tool', tag: block.tag, body: block.body, at: block.end },
    isOpen: parsed.issues.some(({ code }) => code === 'missing_end_tag'),
  };
}

interface StepReading {
  /** True if the server includes the stop text, so that its absence means another ending. */
  readonly keepsStop: boolean;
  /** End tags given to the server as stops; default: all of the profile. */
  readonly stops?: readonly string[];
  /** Earlier text of the step, if it is a continuation. */
  readonly before?: string;
}

/** Parses a step of a model, or its next piece. */
export function readStep(
  profile: Profile,
  said: Continuation,
  { keepsStop, stops = stopTagsOf(profile), before = '' }: StepReading,
): PlayedStep {
  const given = withStop(profile, said, keepsStop, stops);
  const { end, isOpen } = readEnd(profile, before + given.text, stops);
  const stoppedAt = end ? end.at - before.length : firstEnd(given.text, stops);
  const text = given.text.slice(0, stoppedAt);
  const incidents = [...given.incidents, ...leftOut(given.text.slice(text.length))];
  const isStopped = stoppedAt !== undefined;
  if (end || (isStopped && isOpen)) {
    const { issues } = parseBlocks(profile, text, 'first_of_each_code');
    const structure = structureIncidents(profile, text, issues);
    return { text, incidents: [...incidents, ...structure], end: end ?? { kind: 'goes_on' } };
  }
  const broken = brokenOff(text, isStopped, said);
  return { text, incidents: [...incidents, broken], end: { kind: 'broken_off', incident: broken } };
}

function leftOut(rest: string): Incident[] {
  return rest === '' ? [] : [incident('stop_inside_token', `left out ${quoted(rest)}`)];
}

/** Restores the stop text that the server omitted. */
function withStop(
  profile: Profile,
  { text, finish_reason, stop }: Continuation,
  keepsStop: boolean,
  stops: readonly string[],
): Pick<PlayedStep, 'text' | 'incidents'> {
  const open = openTag(profile, text);
  const stopped = finish_reason !== 'length' && (stop === undefined ? !keepsStop : stop === `</${open}>`);
  const isThere = firstEnd(text, stops) !== undefined;
  if (isThere || !stopped || open === undefined || !stops.includes(open)) return { text, incidents: [] };
  return { text: `${text}</${open}>`, incidents: [incident('stop_left_out', `put back </${open}>`)] };
}

/** End offset of the first end tag that stops a step. */
function firstEnd(text: string, stops: readonly string[]): number | undefined {
  const ends = stops.flatMap((tag) => {
    const at = text.indexOf(`</${tag}>`);
    return at < 0 ? [] : [at + tag.length + 3];
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Tag still open at the end of a text. */
function openTag(profile: Profile, text: string): string | undefined {
  const last = [...text.matchAll(tagPatterns(profile).tag)].at(-1);
  return last?.[1] === '' ? last[2] : undefined;
}

function brokenOff(text: string, isStopped: boolean, { finish_reason }: Continuation): Incident {
  const where = `after ${quoted(text.slice(-MOST_QUOTED))}`;
  if (isStopped) return incident('call_without_start_tag', `nothing opened what ends ${where}`);
  return incident(finish_reason === 'length' ? 'cut_in_step' : 'ended_in_step', where);
}

/** Structural problems of a step's blocks. White space that differs from the layout's is left to the filter. */
export function structureIncidents(
  profile: Profile,
  text: string,
  issues: readonly ParseIssue[],
): Incident[] {
  return [
    ...inventedIn(profile, text),
    ...firstOf(issues, (code) => gapCodes.has(code), 'text_outside_tags'),
    ...firstOf(issues, (code) => brokenCodes.has(code), 'broken_tags'),
  ];
}

/** Incident for a model's text that contains an observation. */
export function inventedIn(profile: Profile, text: string): Incident[] {
  const observation = tagOfKind(profile, 'observation');
  if (observation === undefined || !text.includes(`<${observation}`)) return [];
  return [incident('invented_observation', `<${observation}> in the model's text`)];
}

const brokenCodes: ReadonlySet<ParseIssue['code']> = new Set([
  'missing_end_tag',
  'unexpected_end_tag',
  'nested_tag',
]);

/** True if a model's text is not a sequence of blocks. */
export function isBroken(issues: readonly ParseIssue[]): boolean {
  return issues.some(({ code }) => brokenCodes.has(code));
}

function firstOf(
  issues: readonly ParseIssue[],
  isMeant: (code: ParseIssue['code']) => boolean,
  name: Incident['name'],
): Incident[] {
  const found = issues.find(({ code }) => isMeant(code));
  return found ? [incident(name, found.message)] : [];
}

function incident(name: Incident['name'], detail: string): Incident {
  return { name, detail };
}

/** Maximum characters that an incident quotes. */
const MOST_QUOTED = 80;

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, MOST_QUOTED).toWellFormed());
}
