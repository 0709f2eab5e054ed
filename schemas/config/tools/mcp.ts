import { z } from 'zod';
import { tagNameSchema } from '../../coa/profile.ts';
import { configPathSchema } from '../paths.ts';
import { serviceUrlSchema } from '../serviceUrl.ts';

const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');

/** A server of the Model Context Protocol: a program on this machine, or a service behind a URL. */
export const mcpServerConfigSchema = z
  .strictObject({
    command: z.string().min(1).optional().describe('Program to start; it speaks on stdin and stdout'),
    args: z.array(z.string()).default([]).describe('Its arguments, as they are: no shell reads them'),
    cwd: configPathSchema.optional().describe("Folder to start it in; default: the configuration file's"),
    env: z
      .array(variableNameSchema)
      .default([])
      .describe('Names of environment variables that are handed on to it, beside PATH, HOME and the like'),
    max_restarts: z
      .int()
      .nonnegative()
      .default(3)
      .describe('Times a run that it has ended under starts it again, for the next call'),
    url: serviceUrlSchema.optional().describe('Endpoint of a streamable HTTP server, instead of command'),
    api_key_env: z.string().optional().describe('Environment variable whose key is sent as a bearer token'),
    headers_env: z
      .record(z.string().regex(/^[A-Za-z0-9-]+$/, 'the name of a header'), variableNameSchema)
      .default({})
      .describe('Further headers, each with the environment variable that holds its value'),
    timeout_s: z.number().positive().max(3_600).default(60).describe('Of one call'),
    start_timeout_s: z
      .number()
      .positive()
      .max(3_600)
      .default(60)
      .describe('Until it has said what it offers'),
    concurrency: z.int().positive().default(8).describe('Calls of it at once'),
    max_bytes: z
      .int()
      .positive()
      .default(1_000_000)
      .describe('Read of one answer; a longer one is a failure'),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'expected either command, for a program on this machine, or url',
  });
/** See {@link mcpServerConfigSchema}. */
export type McpServerConfig = z.infer<typeof mcpServerConfigSchema>;

/** A tool of such a server, called by a tag. */
export const mcpToolConfigSchema = z.strictObject({
  server: z.string().describe('One of tools.mcp.servers'),
  tool: z.string().min(1).optional().describe("The tool's name at the server; default: the tag"),
  description: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe("What the tool does, as the model is told; default: the server's words"),
  max_chars: z.int().positive().default(8_000).describe('Shown of one answer'),
});
/** See {@link mcpToolConfigSchema}. */
export type McpToolConfig = z.infer<typeof mcpToolConfigSchema>;

/** The `tools.mcp` section: servers of the Model Context Protocol, and the tools of theirs that profiles call. */
export const mcpConfigSchema = z.strictObject({
  servers: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_-]{0,49}$/, 'a name is lower-case letters, digits, _ and -'),
      mcpServerConfigSchema,
    )
    .default({}),
  tools: z
    .record(tagNameSchema, mcpToolConfigSchema)
    .default({})
    .describe('Tools by the tag that calls them'),
});
/** See {@link mcpConfigSchema}. */
export type McpConfig = z.infer<typeof mcpConfigSchema>;
