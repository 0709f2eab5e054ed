import { z } from 'zod';
import { tagNameSchema } from '../../coa/profile.ts';
import {
  key,
  keyOf,
  placePath,
  plainText,
  positive,
  positiveInt,
  serviceUrl,
  variableName,
} from '../keyMeaning.ts';

const rolloutKey = keyOf('rollout');

/** A server of the Model Context Protocol: a program on this machine, or a service behind a URL. */
export const mcpServerConfigSchema = z
  .strictObject({
    command: rolloutKey(
      plainText.min(1).optional(),
      'Program to start, which speaks on stdin and stdout; absent: the server is at url',
    ),
    args: rolloutKey(
      z.array(plainText).default([]),
      'Arguments of the program, as they are: no shell reads them. Keys belong into env',
    ),
    cwd: key(placePath.optional(), "Folder to start the program in; absent: the configuration file's"),
    env: key(
      z.array(variableName).default([]),
      'Names of environment variables that the program is given, beside PATH, HOME and the like',
    ),
    url: key(serviceUrl.optional(), 'Address of a streamable HTTP server, instead of command'),
    api_key_env: key(plainText.optional(), 'Environment variable of the bearer token; absent: none is sent'),
    headers_env: key(
      z.record(z.string().regex(/^[A-Za-z0-9-]+$/, 'the name of a header'), variableName).default({}),
      'Further headers, each with the environment variable that holds its value',
    ),
    timeout_s: key(
      positive.max(3_600).default(60),
      'Seconds that one call may take, and the server to say what it offers',
    ),
    concurrency: key(positiveInt.default(8), 'Most calls of the server at once'),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'expected either command, for a program on this machine, or url',
  });
export type McpServerConfig = z.infer<typeof mcpServerConfigSchema>;

/** A tool of such a server, with its tag. */
const mcpToolConfigSchema = z.strictObject({
  server: rolloutKey(plainText, 'Name of its server in tools.mcp.servers'),
  tool: rolloutKey(plainText.min(1).optional(), "The tool's name at the server; absent: the tag"),
  description: rolloutKey(
    plainText.trim().min(1).optional(),
    "What the tool does, as the model is told; absent: the server's words",
  ),
  max_chars: rolloutKey(positiveInt.default(8_000), 'Most characters of an answer that the agent is shown'),
});
export type McpToolConfig = z.infer<typeof mcpToolConfigSchema>;

/** The `tools.mcp` section: servers of the Model Context Protocol, and their tools that profiles call. */
export const mcpConfigSchema = z.strictObject({
  servers: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_-]{0,49}$/, 'a name is lower-case letters, digits, _ and -'),
      mcpServerConfigSchema,
    )
    .default({})
    .describe('Servers by a name of your choice'),
  tools: z
    .record(tagNameSchema, mcpToolConfigSchema)
    .default({})
    .describe('Tools by the tag that calls them'),
});
export type McpConfig = z.infer<typeof mcpConfigSchema>;
