import type { ParsedBlock } from '../../../schemas/coa/parse.ts';
import { type Profile, tagRule } from '../../../schemas/coa/profile.ts';
import { type LooseBlock, looseBlocks } from './looseBlocks.ts';

/** A stretch of a row that may be a tool's words. */
export interface UnclearStretch {
  readonly kind: 'unknown_tag' | 'no_observation';
  readonly from: number;
  readonly to: number;
  /** Name of its block; `model` for other words. */
  readonly tag: string;
  readonly message: string;
}

/** Names that agents of others give to calls, in lower case and without `_` and `-`. Calls are the model's words. */
const callNames = new Set(
  'toolcall toolcalls functioncall functioncalls call action search query browse visit python bash execute'.split(
    ' ',
  ),
);
/** Names that they give to what a tool says. */
const outputNames = new Set(
  'observation observations obs toolresponse toolresponses toolresult toolresults tooloutput functionresponse functionresult functionresults functionoutput information result results searchresult searchresults output outputs interpreter executionresult executionresults executionoutput document documents evidence feedback stdout'.split(
    ' ',
  ),
);

/** A part of an answer, in order; white space between parts is left out. */
type Part =
  | { readonly kind: 'block'; readonly block: ParsedBlock; readonly from: number; readonly to: number }
  | { readonly kind: 'loose'; readonly block: LooseBlock; readonly from: number; readonly to: number }
  | { readonly kind: 'text'; readonly text: string; readonly from: number; readonly to: number };

/**
 * Where a tool may have spoken in an answer of somebody else's agents, though no observation says so: blocks of
 * unknown tags between others, what follows a call, and `Observation:` lines of ReAct. Nothing in answers that show no
 * sign of agents.
 *
 * @param blocks those that the profile knows
 * @param at where the answer begins in the row's text; stretches are places of the row
 */
export function unclearStretches(
  profile: Profile,
  answer: string,
  blocks: readonly ParsedBlock[],
  at: number,
): UnclearStretch[] {
  const parts = partsOf(answer, blocks);
  const isCall = parts.map((part, place) => isDelimited(parts, place) && calls(profile, part));
  const isAgents = parts.some((part, place) => part.kind === 'block' || isCall[place]);
  const found = isAgents
    ? parts.flatMap((part, place) => {
        const afterCall = place > 0 && isCall[place - 1]!;
        return afterCall ? followerOfCall(parts, place) : strangeBlock(parts, part, place);
      })
    : [];
  const told = found.length > 0 ? found : parts.flatMap(reactObservations);
  return told.map((stretch) => ({ ...stretch, from: stretch.from + at, to: stretch.to + at }));
}

function partsOf(answer: string, blocks: readonly ParsedBlock[]): Part[] {
  const known = blocks.map((block): Part => ({ kind: 'block', block, from: block.start, to: block.end }));
  const loose = looseBlocks(answer, blocks).map((block): Part => ({ kind: 'loose', block, ...block }));
  const parts: Part[] = [];
  const addText = (to: number): void => {
    const from = parts.at(-1)?.to ?? 0;
    const text = answer.slice(from, to);
    if (text.trim() !== '') parts.push({ kind: 'text', text, from, to });
  };
  for (const part of [...known, ...loose].sort((a, b) => a.from - b.from)) {
    addText(part.from);
    parts.push(part);
  }
  addText(answer.length);
  return parts;
}

/** Whether no words stand right before a part: agents write nothing there, authors of prose do. */
function isDelimited(parts: readonly Part[], place: number): boolean {
  return parts[place - 1]?.kind !== 'text';
}

function calls(profile: Profile, part: Part): boolean {
  if (part.kind === 'text') return false;
  if (part.kind === 'loose') return callNames.has(folded(part.block.name));
  const rule = tagRule(profile, part.block.tag);
  // In prose, `<code>` is HTML.
  return rule?.kind === 'tool' && (rule.body !== 'code' || part.block.body.includes('```'));
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** What follows a call and is neither an observation nor another call. */
function followerOfCall(parts: readonly Part[], place: number): UnclearStretch[] {
  const part = parts[place]!;
  if (part.kind === 'loose') return callNames.has(folded(part.block.name)) ? [] : [unknownTag(part.block)];
  if (part.kind === 'block' && part.block.origin === 'environment') return [];
  // A call may be followed by words of the model that end its turn.
  if (part.kind === 'text' && place === parts.length - 1) return [];
  const call = parts[place - 1]!;
  const name = call.kind === 'block' ? call.block.tag : call.kind === 'loose' ? call.block.name : '';
  const message = `no observation follows </${name}>, and what follows is in the loss: if a tool wrote it, mask it`;
  const tag = part.kind === 'block' ? part.block.tag : 'model';
  return [{ kind: 'no_observation', from: part.from, to: part.to, tag, message }];
}

/** A block of an unknown tag between others: at the end of an answer stands what the model says. */
function strangeBlock(parts: readonly Part[], part: Part, place: number): UnclearStretch[] {
  if (part.kind !== 'loose' || place === parts.length - 1 || !isDelimited(parts, place)) return [];
  const name = folded(part.block.name);
  const next = parts[place + 1]!;
  const isAnswered = next.kind === 'block' && next.block.origin === 'environment';
  if (isAnswered || callNames.has(name)) return [];
  return place > 0 || outputNames.has(name) ? [unknownTag(part.block)] : [];
}

function unknownTag({ start, name, from, to }: LooseBlock): UnclearStretch {
  const message = `${start} is a tag of no known profile, and its words are in the loss: if a tool wrote them, mask them; --observation-tag names the tag of tools`;
  return { kind: 'unknown_tag', from, to, tag: name, message };
}

const reactAction = /^Action(?: Input)?(?: \d+)?\s*:/m;
const reactObservation =
  /^Observation(?: \d+)?\s*:[\s\S]*?(?=^(?:Thought|Action|Final Answer|Question)\b|(?![\s\S]))/gm;

function reactObservations(part: Part): UnclearStretch[] {
  if (part.kind !== 'text' || !reactAction.test(part.text)) return [];
  const message =
    'a line "Observation:" stands in the words of the model, which are in the loss: if a tool wrote it, mask it';
  return [...part.text.matchAll(reactObservation)].map(({ index, 0: found }) => {
    const from = part.from + index;
    return { kind: 'no_observation', from, to: from + found.length, tag: 'model', message };
  });
}
