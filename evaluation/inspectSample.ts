import type { JsonObject } from '../base/json.ts';
import { bodyOf } from '../schemas/coa/bodies.ts';
import type { Segment, Trajectory } from '../schemas/trajectory.ts';
import type { SampleResult, TaskResult } from './records/sampleResult.ts';

/** Name of our score in Inspect's logs. In the filter of `inspect view` the word `answer` is what was answered. */
export const SCORE_NAME = 'verdict';

/**
 * A sample as Inspect AI's logs hold it (`EvalSample` of inspect-ai 0.3.285). One that is unscored has an error and no
 * score, so that Inspect counts it as unscored too.
 *
 * @param trajectory undefined where the player came to none
 */
export function inspectSample(
  task: TaskResult,
  sample: SampleResult,
  trajectory: Trajectory | undefined,
  model: string,
): JsonObject {
  const messages = trajectory ? trajectoryMessages(trajectory) : [userMessage(task.question)];
  const metadata: JsonObject = {
    ...(task.group !== undefined && { group: task.group }),
    ...(task.cluster !== undefined && { cluster: task.cluster }),
    ...(sample.reason !== null && { reason: sample.reason }),
  };
  return {
    id: task.task_id,
    epoch: sample.sample + 1,
    input: task.question,
    target: [...task.answers],
    messages,
    output: {
      model,
      choices: [
        {
          message: { role: 'assistant', content: sample.answer ?? '' },
          stop_reason: sample.reason === null ? 'stop' : 'unknown',
        },
      ],
    },
    metadata,
    model_usage: usageOf(sample, model),
    ...(sample.result === 'unscored' ? errorOf(sample) : { scores: { [SCORE_NAME]: scoreOf(sample) } }),
  };
}

/** What of a sample the list of samples shows. */
export function inspectSummary(sample: JsonObject): JsonObject {
  const { id, epoch, input, target, metadata, scores, model_usage, error, messages } = sample;
  return {
    id: id!,
    epoch: epoch!,
    input: input!,
    target: target!,
    metadata: metadata!,
    ...(scores !== undefined && { scores }),
    model_usage: model_usage!,
    ...(error !== undefined && { error: (error as JsonObject).message! }),
    completed: true,
    message_count: (messages as readonly unknown[]).length,
  };
}

function usageOf({ use }: SampleResult, model: string): JsonObject {
  if (!use) return {};
  const { prompt_tokens, completion_tokens, cost_usd } = use;
  const total_tokens = prompt_tokens + completion_tokens;
  return {
    [model]: {
      input_tokens: prompt_tokens,
      output_tokens: completion_tokens,
      total_tokens,
      total_cost: cost_usd,
    },
  };
}

function errorOf({ reason }: SampleResult): JsonObject {
  const message = `unscored: ${reason ?? 'no verdict'}`;
  return { error: { message, traceback: message, traceback_ansi: message } };
}

function scoreOf({ result, answer, reason }: SampleResult): JsonObject {
  return {
    value: result === 'right' ? 'C' : 'I',
    answer: answer ?? '',
    ...(reason !== null && { explanation: `no answer: ${reason}` }),
  };
}

function userMessage(content: string): JsonObject {
  return { role: 'user', content };
}

/** A trajectory as a conversation: what stands before an observation is the call of its tool. */
function trajectoryMessages({ system, user, segments }: Trajectory): JsonObject[] {
  const messages: JsonObject[] = [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    userMessage(user),
  ];
  let text = '';
  for (const [at, segment] of segments.entries()) {
    const observation = segments[at + 1];
    // An answer that the player forced is nothing that a tool showed.
    const isAnswer = at === segments.length - 1;
    if (segment.origin === 'environment' && !isAnswer) continue;
    if (observation?.origin !== 'environment' || at === segments.length - 2) text += segment.text;
    else {
      messages.push(...toolCall(`call_${at}`, text, segment, observation));
      text = '';
    }
  }
  if (text !== '') messages.push({ role: 'assistant', content: text });
  return messages;
}

function toolCall(id: string, before: string, call: Segment, observation: Segment): JsonObject[] {
  const used = { id, type: 'function', function: call.tag, arguments: { input: bodyOf(call) } };
  return [
    { role: 'assistant', content: before, tool_calls: [used] },
    { role: 'tool', tool_call_id: id, function: call.tag, content: bodyOf(observation) },
  ];
}
