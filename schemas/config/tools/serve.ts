import { z } from 'zod';
import { key, plainText, positiveInt, timerSeconds } from '../keyMeaning.ts';
import { type ServedToolName, servedToolNames, toolFacts } from './toolFacts.ts';

const portSchema = (tool: ServedToolName) =>
  key(z.int().min(0).max(65_535).default(toolFacts[tool].port), `Port of ${tool}; 0 takes a free one`);

const ports = Object.fromEntries(servedToolNames.map((name) => [name, portSchema(name)])) as Record<
  ServedToolName,
  z.ZodDefault<z.ZodInt>
>;

/** What each server of ours is told. */
export function serverKeys(log: 'requests' | 'failures') {
  return {
    host: key(plainText.min(1).default('127.0.0.1'), 'Address to listen at; 0.0.0.0: on every network'),
    timeout_s: key(timerSeconds.positive().default(300), 'Seconds that one answer may take; then 504'),
    log: key(
      z.enum(['requests', 'failures']).default(log),
      'requests: a line a request on standard error; failures: only of those answered 500 and up',
    ),
  };
}

/** The `tools.serve` section: tools as HTTP servers. It shapes no run. */
export const serveConfigSchema = z.strictObject({
  ports: z.strictObject(ports).prefault({}).describe('Ports of the servers'),
  api_key_env: key(plainText.default(''), 'Environment variable of the key of clients; "" lets everybody in'),
  concurrency: key(positiveInt.default(256), 'Requests that a server works on at once; more get 503'),
  ...serverKeys('requests'),
});
export type ServeConfig = z.infer<typeof serveConfigSchema>;
