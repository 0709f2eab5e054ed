import { systemClock } from '../base/systemClock.ts';
import { createEndpointPools } from '../calls/limits/createEndpointPools.ts';
import type { ChatModel } from '../contract/chatModel.ts';
import { poolMember } from '../pipeline/compose/openModels.ts';
import { endpointConfigSchema } from '../schemas/config/endpoint.ts';
import { membersOf } from '../schemas/config/resolved/endpoints.ts';
import { createChatModel } from '../teachers/client/createChatModel.ts';
import { createEndpointRegistry } from '../teachers/client/endpointCapabilities.ts';

interface ChatModelPlace {
  readonly model: string;
  /** Base URL, for instance `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string;
  /** Bearer token; default: none. */
  readonly apiKey?: string;
  /** Maximum concurrent requests; default: that of an endpoint's `concurrency`. */
  readonly concurrency?: number;
}

/** Opens a model with retries and limits, without cache and budget. Throws `ZodError` for invalid values. */
export function openChatModel({ model, baseUrl, apiKey, concurrency }: ChatModelPlace): ChatModel {
  const settings = { ...(concurrency !== undefined && { concurrency }) };
  const endpoint = { ...endpointConfigSchema.parse(settings), base_url: baseUrl };
  const members = membersOf(endpoint).map((member) => poolMember(member, apiKey));
  const pool = createEndpointPools(systemClock)(members);
  const capabilities = createEndpointRegistry().capabilitiesFor(endpoint, model);
  return createChatModel({ model, endpoint, pool, clock: systemClock, capabilities });
}
