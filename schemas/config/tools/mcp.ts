import { z } from 'zod';
import { tagNameSchema } from '../../coa/profile.ts';
import {
  besideWrongValues,
  placePathSchema,
  plainTextSchema,
  serviceUrlSchema,
  shapes,
  shapesNothing,
  variableNameSchema,
} from '../keyMeaning.ts';

const shapesRollout = shapes('rollout');

/** A server of the Model Context Protocol: a program on this machine, or a service behind a URL. */
export const mcpServerConfigSchema = z
  .strictObject({
    command: plainTextSchema
      .min(1)
      .optional()
      .meta(
        shapesRollout('Program to start, which speaks on stdin and stdout; absent: the server is at url'),
      ),
    args: z
      .array(plainTextSchema)
      .default([])
      .meta(
        shapesRollout('Arguments of the program, as they are: no shell reads them. Keys belong into env'),
      ),
    cwd: placePathSchema
      .optional()
      .meta(shapesNothing("Folder to start the program in; absent: the configuration file's")),
    env: z
      .array(variableNameSchema)
      .default([])
      .meta(
        shapesNothing(
          'Names of environment variables that the program is given, beside PATH, HOME and the like',
        ),
      ),
    max_restarts: z
      .int()
      .nonnegative()
      .default(3)
      .meta(shapesNothing('Times in one run that a program that has ended is started again')),
    url: serviceUrlSchema
      .optional()
      .meta(shapesNothing('Address of a streamable HTTP server, instead of command')),
    api_key_env: plainTextSchema
      .optional()
      .meta(shapesNothing('Environment variable whose key is sent as a bearer token; absent: none is sent')),
    headers_env: z
      .record(z.string().regex(/^[A-Za-z0-9-]+$/, 'the name of a header'), variableNameSchema)
      .default({})
      .meta(shapesNothing('Further headers, each with the environment variable that holds its value')),
    timeout_s: z
      .number()
      .positive()
      .max(3_600)
      .default(60)
      .meta(shapesNothing('Seconds that one call may take')),
    start_timeout_s: z
      .number()
      .positive()
      .max(3_600)
      .default(60)
      .meta(shapesNothing('Seconds until the server has said what it offers')),
    concurrency: z.int().positive().default(8).meta(shapesNothing('Most calls of the server at once')),
    max_bytes: z
      .int()
      .positive()
      .default(1_000_000)
      .meta(shapesNothing('Bytes that are read of one answer; a longer one is a failure')),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'expected either command, for a program on this machine, or url',
    ...besideWrongValues,
  });
export type McpServerConfig = z.infer<typeof mcpServerConfigSchema>;

/** A tool of such a server, called by a tag. */
export const mcpToolConfigSchema = z.strictObject({
  server: plainTextSchema.meta(shapesRollout('Name of its server in tools.mcp.servers')),
  tool: plainTextSchema
    .min(1)
    .optional()
    .meta(shapesRollout("The tool's name at the server; absent: the tag")),
  description: plainTextSchema
    .trim()
    .min(1)
    .optional()
    .meta(shapesRollout("What the tool does, as the model is told; absent: the server's words")),
  max_chars: z
    .int()
    .positive()
    .default(8_000)
    .meta(shapesRollout('Most characters of one answer that the agent is shown')),
});
export type McpToolConfig = z.infer<typeof mcpToolConfigSchema>;

/** The `tools.mcp` section: servers of the Model Context Protocol, and the tools of theirs that profiles call. */
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
