import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { type Span, type TurnAnswer, turnAnswer } from './answerSpans.ts';
import { chatTurns, controlPlaces, customTurns, textTurn } from './chatTurns.ts';
import type { Fault, MaskSettings } from './rules.ts';
import { isAmbiguous, structureFaults } from './structureFaults.ts';
import type { EncodedText } from './tokenText.ts';
import type { UnclearStretch } from './unclearStretches.ts';

/** A stretch of a row and what the loss should do with it; `either` where both are right. */
export interface ExpectedSpan extends Span {
  readonly loss: 'in' | 'out' | 'either';
}

/** The mask that a row's text calls for. */
export interface ExpectedRow {
  /** The whole row, in order, without gaps. */
  readonly spans: readonly ExpectedSpan[];
  /** Words that may be a tool's: a fault where they are in the loss. */
  readonly unclear: readonly UnclearStretch[];
  readonly faults: readonly Fault[];
  /** False where the text does not tell who wrote what. */
  readonly isClear: boolean;
  /** Whether the row ends without the end of a turn. */
  readonly isOpen: boolean;
}

/**
 * Works the mask of a row out from its text alone: turns by control tokens, parties by the tags of the answer. A
 * trajectory adds tags of declared profiles, and segments that judges marked.
 *
 * @param answerAt start of the answer in a text without turns
 */
export function expectRow(
  row: EncodedText,
  settings: MaskSettings,
  trajectory: Trajectory | undefined,
  answerAt?: number,
): ExpectedRow {
  const controls = controlPlaces(row, settings.tokenText.controls);
  const standard =
    answerAt === undefined ? chatTurns(row.text, controls) : [textTurn(row.text, controls, answerAt)];
  const turns = standard.length > 0 ? standard : customTurns(row.text, trajectory);
  const profile = profileOfTags(trajectory, settings.observationTag);
  const isClear = settings.own || settings.observationTag !== undefined;
  const answers = turns
    .filter((turn) => turn.role === 'assistant')
    .map((turn) => turnAnswer(profile, row.text, turn, isClear));
  const faults = structureFaults({ row, controls, turns, answers, settings, trajectory });
  const last = answers.at(-1)?.turn;
  return {
    spans: rowSpans(row.text.length, answers, settings, trajectory),
    unclear: answers.flatMap(({ unclear }) => unclear),
    faults,
    isClear:
      !isAmbiguous(answers, settings) &&
      !faults.some(({ rule }) => rule === 'no_model_turn' || rule === 'control_token'),
    isOpen: last !== undefined && last.closed === last.to,
  };
}

function rowSpans(
  length: number,
  answers: readonly TurnAnswer[],
  settings: MaskSettings,
  trajectory: Trajectory | undefined,
): ExpectedSpan[] {
  const spans: ExpectedSpan[] = [];
  const add = (
    from: number,
    to: number,
    party: 'prompt' | 'end_of_turn',
    loss: ExpectedSpan['loss'],
  ): void => {
    if (to > from) spans.push({ from, to, party, tag: party, loss, block: null, bodyEnd: 0 });
  };
  for (const { turn, spans: ofAnswer } of answers) {
    add(spans.at(-1)?.to ?? 0, turn.from, 'prompt', 'out');
    spans.push(...withLoss(ofAnswer, settings, trajectory));
    add(turn.to, turn.closed, 'end_of_turn', 'in');
    // Others train the line feed after the end of the turn, or leave it out; we always train it.
    add(turn.closed, turn.end, 'end_of_turn', settings.own ? 'in' : 'either');
  }
  add(spans.at(-1)?.to ?? 0, length, 'prompt', 'out');
  return spans;
}

function withLoss(
  spans: readonly Span[],
  settings: MaskSettings,
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

/** Whether the mask trains each block of an answer. */
function trainedBlocks(
  spans: readonly Span[],
  { mask, profileOf }: MaskSettings,
  trajectory: Trajectory | undefined,
): boolean[] {
  const found = spans.filter(({ block }) => block !== null).map(({ tag, party }) => ({ tag, origin: party }));
  // Of a row whose end was cut off, the steps that are left count.
  const blocks = trajectory?.segments.slice(0, found.length) ?? found;
  const profile = (trajectory && profileOf(trajectory.profile)) ?? profileOfTags();
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
 * A profile with the tags of all built-in profiles and of a trajectory: its grammar is not used.
 *
 * @param observationTag tag of tools' outputs where no trajectory tells it
 */
function profileOfTags(trajectory?: Pick<Trajectory, 'segments'>, observationTag = 'observation'): Profile {
  const segments = trajectory?.segments ?? [];
  const observation = segments.find(({ origin }) => origin === 'environment')?.tag ?? observationTag;
  const names = new Set(builtinTags.map((rule) => rule.tag));
  const more = [...new Set(segments.map(({ tag }) => tag))].filter((tag) => !names.has(tag)).sort();
  const key = [observation, ...more].join(' ');
  const known = made.get(key);
  if (known) return known;
  const rules = new Map(builtinTags.map((rule) => [rule.tag, rule]));
  if (observation !== 'observation') rules.delete('observation');
  for (const tag of more) rules.set(tag, { tag, agent: tag, kind: 'tool', body: 'text' });
  rules.set(observation, { tag: observation, agent: observation, kind: 'observation', body: 'text' });
  const profile = { ...builtinProfiles.afm!, name: 'check', tags: [...rules.values()] };
  made.set(key, profile);
  return profile;
}
