import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../base/json.ts';
import { BROKEN_OFF } from './boundedFetch.ts';
import { plainLine } from './tameDefinition.ts';

/** What an error of the SDK says of a server, as what the server did. */
export interface ExplainedError {
  /** For instance `answered with HTTP status 500`. */
  readonly problem: string;
  readonly evidence: JsonObject;
  /** True where the connection can't be used any more. */
  readonly breaks: boolean;
}

/** What a server says of its own errors is shown so far. */
const MAX_MESSAGE_CHARS = 500;

/** Explains why a request was not answered. */
export function explainError(error: unknown): ExplainedError {
  if (error instanceof StreamableHTTPError) return explainStatus(error.code ?? -1);
  if (error instanceof McpError && error.code !== BROKEN_OFF) {
    const { code } = error;
    return { problem: `refused the request: ${wordsOf(error)}`, evidence: { code }, breaks: false };
  }
  if (isShapeError(error)) return { problem: 'answered with what is no MCP', evidence: {}, breaks: false };
  return { problem: `could not be asked: ${wordsOf(error)}`, evidence: {}, breaks: true };
}

/** A session that its server does not know any more is answered with 404, but others are seen too. */
function explainStatus(status: number): ExplainedError {
  if (status < 100) return { problem: 'answered with what is no MCP', evidence: {}, breaks: true };
  return { problem: `answered with HTTP status ${status}`, evidence: { status }, breaks: true };
}

/** Zod's errors, and those of `JSON.parse`. */
function isShapeError(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && 'issues' in error);
}

function wordsOf(error: unknown): string {
  const { message, cause } = error as Error;
  const detail = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message;
  const words = plainLine(detail.replace(/^MCP error -?\d+: /, ''));
  return words.slice(0, MAX_MESSAGE_CHARS).toWellFormed();
}
