import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { key, keyOf, positiveInt } from './keyMeaning.ts';
import { playerPresetNames } from './playerPresets.ts';
import type { SamplingConfig } from './sampling.ts';

const rolloutKey = keyOf('rollout');

interface CompletionServer {
  /** Form of prompts: every server accepts text, ids bypass its tokenizer. */
  readonly prompt: 'text' | 'ids';
  /** True if the server includes the stop text, so that its absence means another ending. */
  readonly keepsStop: boolean;
  /** Body members required for that. */
  readonly fields: JsonObject;
  /** Members that make a chat continue its last turn; absent if unsupported. */
  readonly continuesTurn?: JsonObject;
  /** Sampling keys that it refuses or ignores. */
  readonly lacks?: readonly (keyof SamplingConfig)[];
}

/**
 * Servers by configuration name. OpenAI's protocol omits the stop text; `transformers serve` includes it with the
 * rest of its last token, and refuses unknown members (5.10).
 */
const completionServers = {
  openai: { prompt: 'text', keepsStop: false, fields: {} },
  vllm: {
    prompt: 'ids',
    keepsStop: true,
    fields: { include_stop_str_in_output: true },
    continuesTurn: { continue_final_message: true, add_generation_prompt: false },
  },
  transformers: {
    prompt: 'text',
    keepsStop: true,
    fields: {},
    lacks: ['top_k'],
  },
} as const satisfies Readonly<Record<string, CompletionServer>>;

type ServerName = keyof typeof completionServers;

export function completionServerOf({ server }: { readonly server: ServerName }): CompletionServer {
  return completionServers[server];
}

/** `teacher.player`: settings of a CoA model as player. */
export const playerConfigSchema = z.strictObject({
  preset: key(
    z.enum(playerPresetNames).optional(),
    "afm_web: AFM's driver for web agents, with its sampling, steps, rounds, retries and cut of the context (docs/student.md); afm_web_paper: with the paper's top_k 20 too. Keys of teacher that are written win one by one. What it sets shapes the stages",
  ),
  server: rolloutKey(
    z.enum(Object.keys(completionServers) as [ServerName]).default('openai'),
    'Server of the model; vllm: asked with token ids, and told to send stop texts; transformers: `transformers serve`, which sends them; openai: any other',
  ),
  api: rolloutKey(
    z.enum(['completions', 'chat']).default('completions'),
    'completions: the prompt is sent as it was trained; chat: turns are sent, to a server that continues the last one exactly, which is tried first',
  ),
  max_context_tokens: rolloutKey(
    positiveInt.default(32_768),
    'Most tokens of prompt and trajectory; what holds at the limit, context says',
  ),
  context: rolloutKey(
    z.enum(['whole', 'cut']).default('whole'),
    "What the model is shown of its trajectory; whole: all of it as it stands, and at max_context_tokens play ends; cut: plans and reflections first, then as much of the end as has room, as AFM's driver does: no model saw that in training",
  ),
  max_tool_calls: rolloutKey(positiveInt.optional(), 'Most tool calls of a task; absent: as many as steps'),
  repeats_before_warning: rolloutKey(
    positiveInt.optional(),
    'Steps in a row with one tool after which the next call is not made but warned of; so is a call that stands in the trajectory already. Absent: every call is made',
  ),
  broken_steps: rolloutKey(
    positiveInt.default(1),
    'Steps of one try without a call or an answer at which play ends; those before are left out and asked for again',
  ),
  tries: rolloutKey(
    positiveInt.default(1),
    'Tries of one rollout: where the model gives no answer, the task begins again. More than 1 makes scores better than one sample is',
  ),
  forced_answer: rolloutKey(z.boolean().default(false), 'Ask for the answer when steps or calls are used up'),
  suggested_as_answer: rolloutKey(
    z.boolean().default(false),
    'Whether the last suggested answer is taken where a limit or the model ends play without one',
  ),
});
export type PlayerConfig = z.infer<typeof playerConfigSchema>;
