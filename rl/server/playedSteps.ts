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

/** What the model wrote between two observations. */
export interface PlayedRlStep extends Pick<ReadEnd, 'end' | 'isOpen' | 'blocks'> {
  /** As it was sampled, to the byte. */
  readonly text: string;
  /** What stands between the last thinking's tags; undefined without any. */
  readonly thought: string | undefined;
  readonly events: readonly Incident[];
}

/**
 * The model's steps in a trajectory. Only the model's own segments are read: nothing that the environment put there is
 * ever taken for a call or an answer, and no tag inside a thought is.
 */
export function playedSteps(profile: Profile, segments: readonly RlSegment[]): PlayedRlStep[] {
  return stepTexts(segments).map((text) => readRlStep(profile, text));
}

/** The texts of the model's steps; pieces that follow each other are one. */
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

/** The player's events, but for what follows the end: white space in the last token is none. */
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

/** Whether the model wrote what only tools say. */
export function hasInvented(steps: readonly PlayedRlStep[]): boolean {
  return steps.some(({ events }) => events.some(({ name }) => name === 'invented_observation'));
}

/**
 * Whether a whole trajectory keeps its profile's grammar. Other white space between blocks than the layout's is no
 * breach: where a token holds a stop text and more, the model had no choice.
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
