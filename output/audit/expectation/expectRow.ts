import type { AuditFindingKind } from '../../../schemas/audit.ts';
import { type Profile, tagRule } from '../../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import type { EncodedText } from '../tokenText.ts';
import { answerSpans, type Span } from './answerSpans.ts';
import type { AuditSettings, RowProblem } from './auditSettings.ts';
import { type AnswerOfTurn, chatTurns, controlPlaces, customTurns } from './chatTurns.ts';
import { isAmbiguous, structureProblems } from './structureProblems.ts';
import type { UnclearStretch } from './unclearStretches.ts';

/** A stretch of a row and what the loss should do with it; `either` where both are right. */
export interface ExpectedSpan extends Span {
  readonly loss: 'in' | 'out' | 'either';
}

/** What the text of a row says about its mask. */
export interface ExpectedRow {
  /** The whole row, in order, without gaps. */
  readonly spans: readonly ExpectedSpan[];
  /** What may be a tool's words: a fault where they are in the loss. */
  readonly unclear: readonly UnclearStretch[];
  readonly problems: readonly RowProblem[];
  /** False where nobody can say who wrote what, so that no mask can be held against it. */
  readonly isClear: boolean;
  /** Whether the row ends without the end of a turn, as rows do whose end was cut off. */
  readonly isOpen: boolean;
}

/**
 * The mask of a row, worked out from its text alone: turns by control tokens, parties by the tags of the answer. A
 * trajectory adds what no text tells: tags of profiles of one's own, and what judges marked.
 */
export function expectRow(
  row: EncodedText,
  settings: AuditSettings,
  trajectory: Trajectory | undefined,
): ExpectedRow {
  const controls = controlPlaces(row, settings.tokenText.controls);
  const standard = chatTurns(row.text, controls);
  const turns = standard.length > 0 ? standard : customTurns(row.text, trajectory);
  const profile = auditProfile(trajectory, settings.observationTag);
  const isClear = settings.own || settings.observationTag !== undefined;
  const answers = turns
    .filter((turn) => turn.role === 'assistant')
    .map((turn) => ({
      turn,
      answer: answerSpans(profile, row.text.slice(turn.from, turn.to), turn.from, isClear),
    }));
  const spans = rowSpans(row.text.length, answers, settings, trajectory);
  const problems = structureProblems({ row, controls, turns, answers, settings, trajectory });
  const last = answers.at(-1)?.turn;
  const isJudged = !isAmbiguous(answers, settings) && !problems.some(({ kind }) => unclearKinds.has(kind));
  return {
    spans,
    unclear: answers.flatMap(({ answer }) => answer.unclear),
    problems,
    isClear: isJudged,
    isOpen: last !== undefined && last.closed === last.to,
  };
}

/** Problems that leave open who wrote what. */
const unclearKinds: ReadonlySet<AuditFindingKind> = new Set(['no_model_turn', 'control_token_in_text']);

function rowSpans(
  length: number,
  answers: readonly AnswerOfTurn[],
  settings: AuditSettings,
  trajectory: Trajectory | undefined,
): ExpectedSpan[] {
  const spans: ExpectedSpan[] = [];
  const outside = { block: null, body: null } as const;
  const prompt = (to: number): void => {
    const from = spans.at(-1)?.to ?? 0;
    if (to > from) spans.push({ from, to, party: 'prompt', tag: 'prompt', loss: 'out', ...outside });
  };
  for (const { turn, answer } of answers) {
    prompt(turn.from);
    spans.push(...withLoss(answer.spans, settings, trajectory));
    const ending = { party: 'end_of_turn', tag: 'end_of_turn', ...outside } as const;
    if (turn.closed > turn.to) spans.push({ from: turn.to, to: turn.closed, ...ending, loss: 'in' });
    // Others train the line feed after the end of the turn, or leave it out; we always train it.
    const loss = settings.own ? 'in' : 'either';
    if (turn.end > turn.closed) spans.push({ from: turn.closed, to: turn.end, ...ending, loss });
  }
  prompt(length);
  return spans;
}

function withLoss(
  spans: readonly Span[],
  settings: AuditSettings,
  trajectory: Trajectory | undefined,
): ExpectedSpan[] {
  if (settings.trainsWholeAnswers) return spans.map((span) => ({ ...span, loss: 'in' }));
  const trained = trainedBlocks(spans, settings, trajectory);
  return spans.map((span) => {
    if (span.party === 'unclear') return { ...span, loss: 'either' };
    if (span.party === 'either') return { ...span, loss: settings.own ? 'out' : 'either' };
    const isIn = span.party === 'model' && (span.block === null || (trained[span.block] ?? true));
    return { ...span, loss: isIn ? 'in' : 'out' };
  });
}

/** Which blocks of an answer a mask trains. The environment's never are. */
function trainedBlocks(
  spans: readonly Span[],
  { mask, profileOf }: AuditSettings,
  trajectory: Trajectory | undefined,
): boolean[] {
  const found = spans.filter(({ block }) => block !== null).map(({ tag, party }) => ({ tag, origin: party }));
  // Of a row whose end was cut off, the steps that are left count.
  const blocks = trajectory?.segments.slice(0, found.length) ?? found;
  const profile = (trajectory && profileOf(trajectory.profile)) ?? auditProfile();
  const verdicts = trajectory?.quality.verdicts ?? [];
  const left = mask.marked === 'skip' ? verdicts : [];
  const leftOut = new Set(left.flatMap((verdict) => verdict.marked_segments ?? []));
  const step = stepNumbers(blocks);
  const firstStep = mask.last_steps === null ? 0 : (step.at(-1) ?? 0) + 1 - mask.last_steps;
  return blocks.map(({ tag, origin }, at) => {
    if (origin === 'environment' || leftOut.has(at) || step[at]! < firstStep) return false;
    if (!mask.thinking && tagRule(profile, tag)?.kind === 'thinking') return false;
    return !(Object.hasOwn(mask.tag_weights, tag) && mask.tag_weights[tag] === 0);
  });
}

/** A step ends with an observation, the last one with the row. */
function stepNumbers(blocks: readonly { readonly origin: string }[]): number[] {
  let step = 0;
  return blocks.map(({ origin }, at) => {
    if (origin !== 'environment' && blocks[at - 1]?.origin === 'environment') step += 1;
    return step;
  });
}

const builtinTags = Object.values(builtinProfiles).flatMap((profile) => profile.tags);
const made = new Map<string, Profile>();

/**
 * A profile that knows the tags of all built-in profiles, and those of a trajectory that has others: who wrote a
 * block is read from its tag, and no grammar is checked.
 *
 * @param observationTag the tag of tools' outputs where no trajectory tells it
 */
function auditProfile(trajectory?: Pick<Trajectory, 'segments'>, observationTag = 'observation'): Profile {
  const environment = trajectory?.segments.find((segment) => segment.origin === 'environment')?.tag;
  const observation = environment ?? observationTag;
  const names = new Set(builtinTags.map((rule) => rule.tag));
  const more = [...new Set(trajectory?.segments.map((segment) => segment.tag))].filter(
    (tag) => !names.has(tag),
  );
  const key = [observation, ...more.sort()].join(' ');
  const known = made.get(key);
  if (known) return known;
  const profile = profileWith(observation, more);
  made.set(key, profile);
  return profile;
}

function profileWith(observation: string, more: readonly string[]): Profile {
  const rules = new Map(builtinTags.map((rule) => [rule.tag, rule]));
  if (observation !== 'observation') rules.delete('observation');
  for (const tag of more) rules.set(tag, { tag, agent: tag, kind: 'tool', body: 'text' });
  rules.set(observation, { tag: observation, agent: observation, kind: 'observation', body: 'text' });
  return { ...builtinProfiles.afm!, name: 'audit', tags: [...rules.values()] };
}
