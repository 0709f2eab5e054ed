import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** One connection to an MCP server, from its start to its end. */
export interface ServerLink {
  readonly transport: Transport;
  /** Why the connection is over, as what the server did: `ended with status 1: ...`; undefined while it is not. */
  problem(): string | undefined;
  /** Resolves once nothing of the connection is left: its processes have ended. */
  close(): Promise<void>;
}
