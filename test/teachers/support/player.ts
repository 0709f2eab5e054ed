import type { Clock } from '../../../base/clock.ts';
import type { JsonObject } from '../../../base/json.ts';
import { createEndpointPools } from '../../../calls/limits/createEndpointPools.ts';
import type { CompletionModel } from '../../../contract/textModels.ts';
import type { Tool } from '../../../contract/tool.ts';
import type { TrajectoryPrompt } from '../../../contract/trajectoryPrompt.ts';
import { poolMember } from '../../../pipeline/compose/openModels.ts';
import { builtinRegistry } from '../../../schemas/coa/profileRegistry.ts';
import { qwenSystemPrompt } from '../../../schemas/config/dataset.ts';
import { endpointConfigSchema } from '../../../schemas/config/endpoint.ts';
import { type PlayerConfig, playerConfigSchema } from '../../../schemas/config/player.ts';
import { membersOf } from '../../../schemas/config/resolved/endpoints.ts';
import { createCompletionModel } from '../../../teachers/client/createCompletionModel.ts';
import { createEndpointRegistry } from '../../../teachers/client/endpointCapabilities.ts';
import type { CoaModelOptions } from '../../../teachers/coaModel/coaModelOptions.ts';
import { createCoaModelTeacher } from '../../../teachers/coaModel/createCoaModelTeacher.ts';
import { stillClock } from './clocks.ts';
import type { TinyAnswer } from './startTinyServer.ts';
import { allTools, roomyBudget } from './team.ts';

/** A model that goes on with texts, at an endpoint of a test. */
export function completionModelAt(baseUrl: string, clock: Clock = stillClock()): CompletionModel {
  const endpoint = { ...endpointConfigSchema.parse({ max_retries: 2 }), base_url: baseUrl };
  const capabilities = createEndpointRegistry().capabilitiesFor(endpoint, 'student');
  const pool = createEndpointPools(clock)(membersOf(endpoint).map((member) => poolMember(member, undefined)));
  return createCompletionModel({ model: 'student', endpoint, pool, clock, capabilities });
}

/** Prompts whose tokens are characters: enough where ids are not looked at. */
export const plainPrompt: TrajectoryPrompt = {
  async render({ system, user, segments }) {
    const text = `${system}\n${user}\n${segments.map((segment) => segment.text).join('')}`;
    return { text, ids: Array.from(text, (_, at) => at) };
  },
  async textWithin(text, tokens) {
    const shown = text.slice(0, tokens);
    return { text: shown, tokens: shown.length };
  },
};

/** What a test's player does otherwise. */
type PlayerChanges = Partial<Omit<CoaModelOptions, 'player' | 'budget'>> & {
  readonly player?: Partial<PlayerConfig>;
  readonly budget?: Partial<CoaModelOptions['budget']>;
};

/** All that a player is made of, at an endpoint of a test. */
export function playerOptions(baseUrl: string, changes: PlayerChanges = {}): CoaModelOptions {
  const { player, budget, ...more } = changes;
  return {
    model: completionModelAt(baseUrl),
    sampling: {},
    prompt: plainPrompt,
    systemPrompt: qwenSystemPrompt,
    profiles: [],
    tools: allTools as ReadonlyMap<string, Tool>,
    profileOf: builtinRegistry.profileOf,
    clock: stillClock(),
    ...more,
    player: playerConfigSchema.parse(player ?? {}),
    budget: { ...roomyBudget, ...budget },
  };
}

/** A player at an endpoint of a test. */
export const playerAt = (baseUrl: string, changes: PlayerChanges = {}) =>
  createCoaModelTeacher(playerOptions(baseUrl, changes));

/** A completion of `/completions`; `prompt_tokens` is not counted where absent. */
export function goesOn(text: string, choice: JsonObject = {}, prompt_tokens = 0): TinyAnswer {
  return {
    body: {
      object: 'text_completion',
      model: 'student-1',
      choices: [{ index: 0, text, finish_reason: 'stop', ...choice }],
      usage: { prompt_tokens, completion_tokens: 10, total_tokens: prompt_tokens + 10 },
    },
  };
}
