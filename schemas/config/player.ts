import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { key, keyOf, positiveInt } from './keyMeaning.ts';
import { playerPresetNames } from './playerPresets.ts';
import type { SamplingConfig } from './sampling.ts';

const rolloutKey = keyOf('rollout');

/** What is known of a server that goes on with texts. */
interface CompletionServer {
  /** How it takes prompts: every server takes text, ids leave nothing to its tokenizer. */
  readonly prompt: 'text' | 'ids';
  /** True when the text that stops a step comes with it: a text without it ended otherwise. */
  readonly keepsStop: boolean;
  /** Members of the body that it needs for that. */
  readonly fields: JsonObject;
  /** Members with which a chat goes on with its last turn; absent where it always begins another. */
  readonly continuesTurn?: JsonObject;
  /** Keys of sampling that it refuses or takes no notice of. */
  readonly lacks?: readonly (keyof SamplingConfig)[];
}

/**
 * Servers by their name in the configuration. OpenAI's protocol leaves the stop text out; `transformers serve` sends it,
 * with what else its last token holds, and refuses members that it does not know (5.10).
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

/** The facts of a player's server. */
export function completionServerOf({ server }: { readonly server: ServerName }): CompletionServer {
  return completionServers[server];
}

/** `teacher.player`: how a CoA model plays. */
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
