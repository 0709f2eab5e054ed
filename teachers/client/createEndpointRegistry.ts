import type { EndpointConfig } from '../../schemas/config/teacher.ts';
import { EndpointCapabilities } from './endpointCapabilities.ts';
import { EndpointConnection } from './endpointConnection.ts';

/** Hands out what roles share: slots by address, findings by address and model. */
export interface EndpointRegistry {
  capabilitiesFor(endpoint: EndpointConfig & { base_url: string }, model: string): EndpointCapabilities;
}

/** Creates the registry of a run. Where roles configure one address differently, the first one's settings hold. */
export function createEndpointRegistry(): EndpointRegistry {
  const connections = new Map<string, EndpointConnection>();
  const capabilities = new Map<string, EndpointCapabilities>();
  return {
    capabilitiesFor(endpoint, model) {
      const address = endpoint.base_url.replace(/\/+$/, '');
      const connection = connections.get(address) ?? new EndpointConnection(endpoint.concurrency);
      connections.set(address, connection);
      const key = JSON.stringify([address, model, endpoint.structured_answers, endpoint.tool_calls]);
      const known = capabilities.get(key) ?? new EndpointCapabilities(endpoint, connection);
      capabilities.set(key, known);
      return known;
    },
  };
}
