import type { ParsedBlock } from '../../schemas/coa/parse.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';

/** Stretch of a row that may be a tool's text; positions in the row's text. */
export interface UnclearStretch {
  readonly rule: 'unclear_tag' | 'no_observation';
  readonly from: number;
  readonly to: number;
  /** Name of its block; `model` for other text. */
  readonly tag: string;
  readonly message: string;
}

/** Call names in rows of other tools, in lower case without `_` and `-`. Calls are the model's text. */
const callNames = new Set(
  'toolcall toolcalls functioncall functioncalls call action search query browse visit python bash execute'.split(
    ' ',
  ),
);
/** Names of tool outputs, normalised likewise. */
const outputNames = new Set(
  'observation observations obs toolresponse toolresponses toolresult toolresults tooloutput functionresponse functionresult functionresults functionoutput information result results searchresult searchresults output outputs interpreter executionresult executionresults executionoutput document documents evidence feedback stdout'.split(
    ' ',
  ),
);

/** Part of an answer, without white space between parts. `loose`: a pair of tags of no profile. */
interface Part {
  readonly kind: 'block' | 'loose' | 'text';
  /** Tag name as written; empty for text. */
  readonly name: string;
  /** Start tag of a loose pair, or a text. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly isCall?: boolean;
  readonly isObservation?: boolean;
}

/**
 * Finds tool outputs outside of observations in answers of other agents: blocks of unknown tags between others, text
 * after a call, `Observation:` lines of ReAct, and `output` fences after programs. Empty without signs of an agent.
 *
 * @param blocks blocks with the profile's tags
 * @param at start of the answer in the row's text
 */
export function unclearStretches(
  profile: Profile,
  answer: string,
  blocks: readonly ParsedBlock[],
  at: number,
): UnclearStretch[] {
  const parts = partsOf(profile, answer, blocks);
  // Prose has words right before its tags, agents' answers do not.
  const isDelimited = (place: number) => parts[place - 1]?.kind !== 'text';
  const isCall = (place: number) => parts[place]?.isCall === true && isDelimited(place);
  const isAgents = parts.some(({ kind }, place) => kind === 'block' || isCall(place));
  const found = parts.flatMap((part, place) => {
    const next = parts[place + 1];
    if (isCall(place - 1)) return followerOfCall(part, parts[place - 1]!.name, next === undefined);
    const isStrange = part.kind === 'loose' && !part.isCall && isDelimited(place);
    // The last part of an answer is the model's, and the one before an observation a call.
    if (!isStrange || next === undefined || next.isObservation) return [];
    return place > 0 || outputNames.has(folded(part.name)) ? [unclearTag(part)] : [];
  });
  const inProse = (part: Part) => [...reactObservations(part), ...programOutputs(part)];
  const told = isAgents && found.length > 0 ? found : parts.flatMap(inProse);
  return told.map((stretch) => ({ ...stretch, from: stretch.from + at, to: stretch.to + at }));
}

/** Part after a call, unless it is an observation or another call. */
function followerOfCall(part: Part, call: string, isLast: boolean): UnclearStretch[] {
  const { kind, from, to } = part;
  if (kind === 'loose') return part.isCall ? [] : [unclearTag(part)];
  // After a call, the model may end its turn with text.
  if (part.isObservation || (kind === 'text' && isLast)) return [];
  const message = `no observation follows </${call}>, and what follows is in the loss: if a tool wrote it, mask it`;
  return [{ rule: 'no_observation', from, to, tag: part.name || 'model', message }];
}

function unclearTag({ text, name, from, to }: Part): UnclearStretch {
  const message = `${text} is a tag of no known profile, and its words are in the loss: if a tool wrote them, mask them; --observation-tag names the tag of tools`;
  return { rule: 'unclear_tag', from, to, tag: name, message };
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function partsOf(profile: Profile, answer: string, blocks: readonly ParsedBlock[]): Part[] {
  const known = blocks.map(({ tag, origin, body, start, end }): Part => {
    const rule = tagRule(profile, tag);
    // `<code>` in prose is HTML.
    const isCall = rule?.kind === 'tool' && (rule.body !== 'code' || body.includes('```'));
    const isObservation = origin === 'environment';
    return { kind: 'block', name: tag, text: '', from: start, to: end, isCall, isObservation };
  });
  const parts: Part[] = [];
  const addText = (to: number): void => {
    const from = parts.at(-1)?.to ?? 0;
    const text = answer.slice(from, to);
    if (text.trim() !== '') parts.push({ kind: 'text', name: '', text, from, to });
  };
  for (const part of [...known, ...loosePairs(answer, known)].sort((a, b) => a.from - b.from)) {
    addText(part.from);
    parts.push(part);
  }
  addText(answer.length);
  return parts;
}

const mark = /<\s{0,8}(\/?)\s{0,8}([A-Za-z][\w-]{0,63})(?:\s[^<>\n]{0,200})?>|^```/gm;

/**
 * Pairs of any tags outside of known blocks and code fences, each from its start to the next end, in linear time. Pairs
 * around known blocks are excluded.
 */
function loosePairs(answer: string, known: readonly Part[]): Part[] {
  let next = 0;
  const marks = [...answer.matchAll(mark)].filter(({ index }) => {
    while (next < known.length && known[next]!.to <= index) next += 1;
    return !(next < known.length && known[next]!.from <= index);
  });
  const nameOf = ([, , name = '']: RegExpExecArray) => name.toLowerCase();
  const ends = Map.groupBy(marks.filter(([, slash]) => slash === '/').reverse(), nameOf);
  const pairs: Part[] = [];
  let at = 0;
  let block = 0;
  let inFence = false;
  for (const found of marks) {
    const { 0: text, 1: slash, 2: name, index: from } = found;
    if (from < at) continue;
    if (name === undefined) inFence = !inFence;
    while (block < known.length && known[block]!.from < from) block += 1;
    if (inFence || name === undefined || slash === '/') continue;
    const those = ends.get(nameOf(found)) ?? [];
    while (those.length > 0 && those.at(-1)!.index < from + text.length) those.pop();
    const end = those.at(-1);
    const to = end ? end.index + end[0].length : 0;
    if (!end || (block < known.length && known[block]!.from < to)) continue;
    pairs.push({ kind: 'loose', name, text, from, to, isCall: callNames.has(folded(name)) });
    at = to;
  }
  return pairs;
}

const reactAction = /^Action(?: Input)?(?: \d+)?\s*:/m;
const reactObservation =
  /^Observation(?: \d+)?\s*:[\s\S]*?(?=^(?:Thought|Action|Final Answer|Question)\b|(?![\s\S]))/gm;

function reactObservations({ kind, text, from: start }: Part): UnclearStretch[] {
  if (kind !== 'text' || !reactAction.test(text)) return [];
  const message =
    'a line "Observation:" stands in the words of the model, which are in the loss: if a tool wrote it, mask it';
  return [...text.matchAll(reactObservation)].map(({ index, 0: found }) => {
    const from = start + index;
    return { rule: 'no_observation', from, to: from + found.length, tag: 'model', message };
  });
}

/** Output fences in the style of ToRA agents. */
const outputFence = /^```output\n[\s\S]*?^```[ \t]*$/gm;

function programOutputs({ kind, text, from: start }: Part): UnclearStretch[] {
  if (kind !== 'text') return [];
  const message =
    'an `output` fence follows a program in the words of the model, which are in the loss: if a tool wrote it, mask it';
  return [...text.matchAll(outputFence)].flatMap(({ index, 0: found }) => {
    if (!text.slice(0, index).trimEnd().endsWith('```')) return [];
    const from = start + index;
    return [{ rule: 'no_observation', from, to: from + found.length, tag: 'model', message }];
  });
}
