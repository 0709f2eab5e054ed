import { checkGrammar } from '../../schemas/coa/check.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import type { ParseIssue } from '../../schemas/coa/parseIssue.ts';
import {
  type Incident,
  inventedIn,
  type ReadEnd,
  readEnd,
  structureIncidents,
} from '../../schemas/coa/play/readStep.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { RlSegment } from '../records/rlTrajectory.ts';

export interface PlayedRlStep extends Pick<ReadEnd, 'end' | 'isOpen' | 'blocks'> {
  /** Sampled text, byte for byte. */
  readonly text: string;
  /** Content of the last thought; undefined without one. */
  readonly thought: string | undefined;
  readonly events: readonly Incident[];
}

/**
 * Model steps of a trajectory. Reads only model segments, so environment text is never taken for a call or an answer,
 * and ignores tags inside thoughts.
 */
export function playedSteps(profile: Profile, segments: readonly RlSegment[]): PlayedRlStep[] {
  return stepTexts(segments).map((text) => readRlStep(profile, text));
}

/** Texts of the model's steps; joins adjacent segments. */
function stepTexts(segments: readonly RlSegment[]): string[] {
  const steps: string[] = [];
  for (const [at, { origin, text }] of segments.entries()) {
    if (origin !== 'model') continue;
    if (segments[at - 1]?.origin === 'model') steps[steps.length - 1] += text;
    else steps.push(text);
  }
  return steps;
}

function readRlStep(profile: Profile, text: string): PlayedRlStep {
  const { blocks, issues, end, isOpen } = readEnd(profile, text);
  const thoughts = blocks.filter(
    ({ tag, start }) => tagRule(profile, tag)?.kind === 'thinking' && start < (end?.at ?? Infinity),
  );
  return {
    text,
    blocks,
    end,
    isOpen,
    thought: thoughts.at(-1)?.body.trim(),
    events: eventsOf(profile, text, issues, end?.at),
  };
}

/** Events of the player, ignoring white space after the end, which may be part of the last token. */
function eventsOf(
  profile: Profile,
  text: string,
  issues: readonly ParseIssue[],
  end = Number.POSITIVE_INFINITY,
): Incident[] {
  const rest = text.slice(end);
  const before = issues.filter(({ offset }) => offset < end);
  const named = structureIncidents(profile, text.slice(0, end), before);
  if (rest.trim() === '') return named;
  const detail = `${JSON.stringify(rest.slice(0, 80).toWellFormed())} follows the end of the step`;
  return [...named, { name: 'stop_inside_token', detail }, ...inventedIn(profile, rest)];
}

/** True if the model wrote a tool's output. */
export function hasInvented(steps: readonly PlayedRlStep[]): boolean {
  return steps.some(({ events }) => events.some(({ name }) => name === 'invented_observation'));
}

/**
 * True if a whole trajectory follows its profile's grammar. Ignores white space between blocks, since a token may
 * contain more than the stop text.
 */
export function keepsGrammar(
  profile: Profile,
  segments: readonly RlSegment[],
  steps: readonly PlayedRlStep[],
): boolean {
  const isClean = steps.every(({ events }) => events.length === 0);
  if (!isClean || steps.at(-1)?.end?.kind !== 'answer') return false;
  const { blocks, issues } = parseBlocks(profile, segments.map(({ text }) => text).join(''));
  return issues.every(({ code }) => code === 'wrong_layout') && checkGrammar(profile, blocks).length === 0;
}
