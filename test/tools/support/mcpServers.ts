import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { RecordFailure } from '../../../contract/errors.ts';
import { childLink } from '../../../tools/mcp/childLink.ts';
import { McpServer, type McpServerOptions } from '../../../tools/mcp/mcpServer.ts';

/** A signal that never comes. */
export const never = new AbortController().signal;

/** The file of a program beside this one. */
export function programBeside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** A server that is a TypeScript program in this folder, ended with the test. */
export function serverOf(
  program: string,
  args: readonly string[] = [],
  more: Partial<McpServerOptions> & {
    readonly env?: Record<string, string>;
    readonly maxBytes?: number;
  } = {},
): McpServer {
  const { env = {}, maxBytes = 100_000, ...options } = more;
  const server = new McpServer({
    name: 'catalogue',
    link: () =>
      childLink(
        {
          command: process.execPath,
          args: [programBeside(program), ...args],
          cwd: process.cwd(),
          env: { PATH: process.env.PATH ?? '', ...env },
        },
        maxBytes,
      ),
    // A hang: what a test means to run out says so itself.
    timeoutMs: 120_000,
    startTimeoutMs: 120_000,
    concurrency: 4,
    maxRestarts: 1,
    secrets: [],
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

/** The failure that a call ends in: the tool is not available, for now. */
export async function failureIn(call: Promise<unknown>): Promise<RecordFailure['failure']> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RecordFailure);
  const { failure } = error as RecordFailure;
  expect(failure).toMatchObject({ cause: 'tool_unavailable', retryable: true });
  return failure;
}
