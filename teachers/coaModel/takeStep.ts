import { contentId } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { CompletionAnswer, CompletionRequest } from '../../contract/textModels.ts';
import { type ChatMessage, nothingUsed } from '../../schemas/chat.ts';
import { answerStart, type PlayedAnswer } from '../../schemas/coa/play/playedSegments.ts';
import { type Incident, type PlayedStep, readStep } from '../../schemas/coa/play/readStep.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { completionServerOf } from '../../schemas/config/player.ts';
import type { Segment } from '../../schemas/trajectory.ts';
import type { Solving } from '../solving/solveTask.ts';
import type { StartMark } from '../solving/traceRecorder.ts';
import type { CoaModelOptions } from './coaModelOptions.ts';
import { type Played, stepRequest, stopTagsOfStep } from './stepRequest.ts';
import { type ToolRequest, toolRequest } from './toolRequest.ts';

/** A recorded step. */
export interface TakenStep {
  readonly answer: PlayedAnswer;
  /** Empty if play stopped or the step continues. */
  readonly end: { readonly tag: string; readonly body: string };
  /** True if the model stopped at a call inside another block, which does not count: it continues. */
  readonly goesOn: boolean;
  /** Undefined at the answer. */
  readonly call: ToolRequest | undefined;
  /** Reason why play cannot continue. */
  readonly failure: RecordFailure | undefined;
}

/** Options of a step; default: off. */
export interface StepOptions {
  readonly forced?: boolean;
  readonly leavesBrokenOut?: boolean;
}

/**
 * Requests one continuation and records it.
 * @param options - `forced`: the step begins inside the answer; `leavesBrokenOut`: what broke off is no part of the trace's
 * text.
 * @throws RecordFailure where the model can't be asked
 */
export async function takeStep(
  played: Played,
  options: CoaModelOptions,
  solving: Solving,
  { forced = false, leavesBrokenOut = false }: StepOptions,
): Promise<TakenStep> {
  const { budget, recorder } = solving;
  budget.checkTokens(recorder.usedTokens);
  const { request, promptTokens, isOutOfRoom } = await stepRequest(played, options, forced);
  const start = recorder.start();
  const record = recorderOf(played, request, options, { recorder, start });
  const said = await asked(request, promptTokens, options, { ...solving, record, retried: start.retried });
  const read = readStep(played.profile, forced ? inAnswer(played.profile, said) : said, {
    keepsStop: keepsStop(options),
    stops: stopTagsOfStep(played.profile, forced),
    before: forced ? '' : openStep(played.segments),
  });
  const call = read.end.kind === 'tool' ? toolRequest(played.profile, read.end, options) : undefined;
  const answer = answerOf(played.profile, read, call, forced);
  const failure = failureOfStep(read, { isOutOfRoom });
  record(said, failure && leavesBrokenOut ? null : answer, failure);
  const { tag, body } = hasEnded(read.end) ? read.end : { tag: '', body: '' };
  return { answer, end: { tag, body }, goesOn: read.end.kind === 'goes_on', call, failure };
}

function hasEnded(end: PlayedStep['end']): end is Extract<PlayedStep['end'], { readonly tag: string }> {
  return end.kind === 'tool' || end.kind === 'answer';
}

/** Model text after the last observation: all of a continued step. */
function openStep(segments: readonly Segment[]): string {
  const observed = segments.findLastIndex(({ origin }) => origin !== 'model');
  return segments
    .slice(observed + 1)
    .map(({ text }) => text)
    .join('');
}

function keepsStop({ player }: CoaModelOptions): boolean {
  return completionServerOf(player).keepsStop;
}

/** Prefixes a forced step with the start tag. */
function inAnswer<Said extends { readonly text: string }>(profile: Profile, said: Said): Said {
  return { ...said, text: answerStart(profile) + said.text };
}

type Record = (said: CompletionAnswer | null, answer: PlayedAnswer | null, failure?: RecordFailure) => void;

function recorderOf(
  { turns }: Played,
  request: CompletionRequest,
  { model }: CoaModelOptions,
  { recorder, start }: Pick<Solving, 'recorder'> & { readonly start: StartMark },
): Record {
  // Earlier events contain the played text.
  const messages: ChatMessage[] = [
    { role: 'system', content: turns.system },
    { role: 'user', content: turns.user },
  ];
  return (said, answer, failure) =>
    recorder.agentCall(
      {
        role: 'model',
        action: answer?.tag ?? null,
        model: said?.model ?? model.model,
        request_hash: said?.request_hash ?? contentId('request', { ...request, model: model.model }),
        messages,
        answer: answer as unknown as JsonObject | null,
        content: said?.text ?? null,
        reasoning: null,
        tool_calls: [],
        finish_reason: said?.finish_reason ?? null,
        response_format: null,
        usage: said?.usage ?? nothingUsed,
        cost_usd: said?.cost_usd ?? 0,
        malformed: [],
        failure: failure?.failure ?? null,
      },
      start,
    );
}

async function asked(
  request: CompletionRequest,
  promptTokens: number,
  { model }: CoaModelOptions,
  { budget, work, record, retried }: Solving & Pick<StartMark, 'retried'> & { readonly record: Record },
): Promise<CompletionAnswer> {
  let said: CompletionAnswer | null = null;
  try {
    said = await model.complete(request, budget.signal, { work, role: 'model', retried });
    assertSamePrompt(said, promptTokens);
    return said;
  } catch (error) {
    const failure = budget.timeFailure() ?? (error instanceof RecordFailure ? error : undefined);
    if (!failure) throw error;
    record(said, null, failure);
    throw failure;
  }
}

/**
 * Throws `RecordFailure` (`endpoint_rejected`) if the server counted another prompt; a server without a count is
 * accepted.
 */
export function assertSamePrompt({ prompt_tokens }: CompletionAnswer, trained: number): void {
  if (prompt_tokens === 0 || prompt_tokens === trained) return;
  const message = `the endpoint reads ${prompt_tokens} tokens where training has ${trained}: it does not go on with the text as it was trained; ask it by teacher.player.api completions, and see that dataset.tokenizer and dataset.chat_template are the model's (docs/student.md)`;
  throw new RecordFailure('endpoint_rejected', message, { prompt_tokens, trained });
}

function answerOf(
  profile: Profile,
  { text, incidents, end }: PlayedStep,
  call: ToolRequest | undefined,
  forced: boolean,
): PlayedAnswer {
  const malformed: Incident[] =
    call?.input.ok === false ? [{ name: 'malformed_tool_input', detail: call.input.error }] : [];
  return {
    text: forced ? text.slice(answerStart(profile).length) : text,
    tag: hasEnded(end) ? end.tag : null,
    incidents: [...incidents, ...malformed],
    ...(forced && { forced }),
  };
}

/** A retry would be another sample, so failures of the model are final. */
function failureOfStep(
  { end }: PlayedStep,
  { isOutOfRoom }: { readonly isOutOfRoom: boolean },
): RecordFailure | undefined {
  if (end.kind !== 'broken_off') return undefined;
  const { name, detail } = end.incident;
  const isCut = name === 'cut_in_step';
  const cause = !isCut ? 'malformed_answer' : isOutOfRoom ? 'context_exceeded' : 'answer_truncated';
  return new RecordFailure(cause, `${sentences[name]} ${detail}`, { incident: name }, { retryable: false });
}

const sentences: Partial<Readonly<{ [Name in Incident['name']]: string }>> = {
  ended_in_step: 'the model ended its turn before an answer:',
  cut_in_step: 'the step was cut at the token limit:',
  call_without_start_tag: 'the model ended a tag that it had not begun:',
};
