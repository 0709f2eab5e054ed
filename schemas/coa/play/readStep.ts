import { z } from 'zod';
import { parseBlocks } from '../parse.ts';
import { gapCodes, type ParseIssue } from '../parseIssue.ts';
import { type Profile, tagOfKind, toolTags } from '../profile.ts';
import { tagPatterns } from '../tagPatterns.ts';

/**
 * What a model or its server did otherwise than the format has it, in one step. None is tried again.
 *
 * | incident | rule |
 * |---|---|
 * | `stop_inside_token` | the server sent more than the stop text: what follows is left out |
 * | `stop_left_out` | the server left the stop text out: it is put back |
 * | `text_outside_tags` | words or unknown tags between blocks: they stay in the segment before them, and play goes on |
 * | `broken_tags` | tags that nest or do not match: the step stays one segment, and play goes on |
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
  /** What was seen, for people. */
  detail: z.string(),
});
/** Something of {@link incidentSchema}. */
export type Incident = z.infer<typeof incidentSchema>;

/** What a model went on with, as it came. */
interface Continuation {
  readonly text: string;
  readonly finish_reason: string | null;
  readonly stop?: string | null;
}

/** One step of a model: everything up to a tool call or the answer. */
export interface PlayedStep {
  /** The model's text as it stands in the trajectory; without the line feed that follows a call. */
  readonly text: string;
  readonly incidents: readonly Incident[];
  readonly end:
    | { readonly kind: 'tool' | 'answer'; readonly tag: string; readonly body: string }
    /** Play can't go on. */
    | { readonly kind: 'broken_off'; readonly incident: Incident };
}

/** The tags at whose ends a step of the profile stops: those of its tools, and the answer. */
export function stopTagsOf(profile: Profile): string[] {
  return [...toolTags(profile), tagOfKind(profile, 'answer')!];
}

/**
 * Reads a step of a model.
 *
 * @param keepsStop - True for a server that sends the stop text along, so that a text without it ended otherwise.
 * @param stops - The tags at whose ends the server was told to stop.
 */
export function readStep(
  profile: Profile,
  said: Continuation,
  keepsStop: boolean,
  stops: readonly string[] = stopTagsOf(profile),
): PlayedStep {
  const { text, incidents } = upToStop(profile, said, keepsStop, stops);
  const end = endOf(profile, text, said, stops);
  if (end.kind === 'broken_off') return { text, incidents: [...incidents, end.incident], end };
  return { text, incidents: [...incidents, ...structureIncidents(profile, text)], end };
}

function upToStop(
  profile: Profile,
  { text, finish_reason, stop }: Continuation,
  keepsStop: boolean,
  stops: readonly string[],
): Pick<PlayedStep, 'text' | 'incidents'> {
  const end = firstEnd(text, stops);
  if (end !== undefined) {
    const rest = text.slice(end);
    const incidents = rest === '' ? [] : [incident('stop_inside_token', `left out ${quoted(rest)}`)];
    return { text: text.slice(0, end), incidents };
  }
  const open = openTag(profile, text);
  const stopped = finish_reason !== 'length' && (stop === undefined ? !keepsStop : stop === `</${open}>`);
  if (!stopped || open === undefined || !stops.includes(open)) return { text, incidents: [] };
  return { text: `${text}</${open}>`, incidents: [incident('stop_left_out', `put back </${open}>`)] };
}

/** Where the first end tag at which a step stops ends. */
function firstEnd(text: string, stops: readonly string[]): number | undefined {
  const ends = stops.flatMap((tag) => {
    const at = text.indexOf(`</${tag}>`);
    return at < 0 ? [] : [at + tag.length + 3];
  });
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** The tag that is open at a text's end. */
function openTag(profile: Profile, text: string): string | undefined {
  const last = [...text.matchAll(tagPatterns(profile).tag)].at(-1);
  return last?.[1] === '' ? last[2] : undefined;
}

function endOf(
  profile: Profile,
  text: string,
  { finish_reason }: Continuation,
  stops: readonly string[],
): PlayedStep['end'] {
  const tag = stops.find((each) => text.endsWith(`</${each}>`));
  if (tag === undefined) {
    const isCut = finish_reason === 'length';
    const where = `after ${quoted(text.slice(-MOST_QUOTED))}`;
    const found = isCut ? incident('cut_in_step', where) : incident('ended_in_step', where);
    return { kind: 'broken_off', incident: found };
  }
  const end = text.length - `</${tag}>`.length;
  const start = text.lastIndexOf(`<${tag}>`, end);
  if (start < 0) {
    return { kind: 'broken_off', incident: incident('call_without_start_tag', `</${tag}> without <${tag}>`) };
  }
  const kind = tagOfKind(profile, 'answer') === tag ? 'answer' : 'tool';
  return { kind, tag, body: text.slice(start + tag.length + 2, end) };
}

/** Other white space than the layout's is no incident: the filter drops it, and it misleads nobody. */
function structureIncidents(profile: Profile, text: string): Incident[] {
  const { issues } = parseBlocks(profile, text);
  const observation = tagOfKind(profile, 'observation');
  const invented = observation !== undefined && text.includes(`<${observation}`);
  return [
    ...(invented ? [incident('invented_observation', `<${observation}> in the model's text`)] : []),
    ...firstOf(issues, (code) => gapCodes.has(code), 'text_outside_tags'),
    ...firstOf(issues, (code) => brokenCodes.has(code), 'broken_tags'),
  ];
}

const brokenCodes: ReadonlySet<ParseIssue['code']> = new Set([
  'missing_end_tag',
  'unexpected_end_tag',
  'nested_tag',
]);

/** Whether a model's text is no sequence of blocks. */
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

/** Characters of a text that an incident quotes. */
const MOST_QUOTED = 80;

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, MOST_QUOTED).toWellFormed());
}
