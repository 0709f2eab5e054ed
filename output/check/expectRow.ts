import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { type Span, type TurnAnswer, turnAnswer } from './answerSpans.ts';
import { chatTurns, controlPlaces, customTurns, textTurn } from './chatTurns.ts';
import type { Fault, MaskSettings } from './rules.ts';
import { isAmbiguous, structureFaults } from './structureFaults.ts';
import type { EncodedText } from './tokenText.ts';
import type { UnclearStretch } from './unclearStretches.ts';

/** Stretch of a row with its expected loss; `either` if both are correct. */
export interface ExpectedSpan extends Span {
  readonly loss: 'in' | 'out' | 'either';
}

export interface ExpectedRow {
  /** Contiguous spans of the whole row. */
  readonly spans: readonly ExpectedSpan[];
  /** Text that may be a tool's; a fault if it is in the loss. */
  readonly unclear: readonly UnclearStretch[];
  readonly faults: readonly Fault[];
  /** False if the text does not reveal its authors. */
  readonly isClear: boolean;
  /** True if the row lacks an end of turn. */
  readonly isOpen: boolean;
}

/**
 * Derives the expected mask from a row's text: turns by control tokens, parties by the tags of the answer. A trajectory
 * adds tags of declared profiles and segments marked by judges.
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
    // coa-distill always trains the line feed after the end of the turn; others may not.
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

function trainedBlocks(
  spans: readonly Span[],
  { mask, profileOf }: MaskSettings,
  trajectory: Trajectory | undefined,
): boolean[] {
  const found = spans.filter(({ block }) => block !== null).map(({ tag, party }) => ({ tag, origin: party }));
  // Only the remaining steps of a cut row count.
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

/** Steps end with an observation, the last one with the row. */
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
 * Profile with the tags of all built-in profiles and of a trajectory; only its tags are used, not its grammar.
 *
 * @param observationTag tag of tool outputs if no trajectory is given
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
