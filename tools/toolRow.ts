import type { OwnModule } from '../base/programs/ownModule.ts';
import type { ToolDefinition } from '../contract/chatModel.ts';
import type { Sandbox } from '../contract/sandbox.ts';
import type { CallService, ServiceLimits } from '../contract/serviceCalls.ts';
import type { Session } from '../contract/session.ts';
import type { Tokenizer } from '../contract/tokenizer.ts';
import type { Tool, ToolModels } from '../contract/tool.ts';
import type { ToolName } from '../schemas/config/tools/toolFacts.ts';
import type { ToolsConfig } from '../schemas/config/tools.ts';
import type { ToolEndpoint } from './servers/createToolApp.ts';
import type { SiteServer } from './site/startSiteServer.ts';

/** Context for opening tools. */
export interface ToolContext extends Session {
  readonly tools: ToolsConfig;
  /** Cache folder of search indexes, which can be rebuilt. */
  readonly cacheFolder: string;
  /** Sandbox for programs; without it `code` stays closed. */
  readonly sandbox: Sandbox | undefined;
  /** Models for tools, with cache, limits and spending log. */
  readonly models: ToolModels;
  /** Starts the bundled site on first use; undefined without one. */
  readonly openSite: () => Promise<OpenedSite | undefined>;
  readonly openTokenizer: (name: string) => Promise<Tokenizer>;
  readonly createServiceCaller: (limits: ServiceLimits) => CallService;
  /**
   * Definition from a tool's server: the stored one if it exists, so that replays offer the same tool. `ask` is never
   * called offline.
   */
  readonly keepDefinition: (tag: string, ask: () => Promise<ToolDefinition>) => Promise<ToolDefinition>;
}

/** The running bundled site. */
export interface OpenedSite {
  /** Public host name. */
  readonly host: string;
  readonly server: SiteServer;
}

/** A kind of tool: a built-in one, or those declared in a section such as `custom`. */
export interface ToolRow {
  /** Tags of the configured tools of this kind. */
  tagsOf(tools: ToolsConfig): readonly string[];
  /** Provider of a configured tag: an address without secrets, `web`, or `local` for this machine. */
  providerOf(tools: ToolsConfig, tag: string): string;
  /** True if results depend on the bundled site. */
  readonly seesSite: boolean;
  /** Throws `UserError` if the environment lacks a key or value for a configured tag. */
  checkEnvironment(tools: ToolsConfig, tag: string, env: NodeJS.ProcessEnv): void;
  /**
   * Further inputs that affect results, besides the keys marked so in their schema, such as prompts: members of a
   * fingerprint's `tools` that replace those of `part`.
   * @param part `tools` with those keys alone
   */
  fingerprint?(part: ToolsConfig, tools: ToolsConfig): Readonly<Record<string, unknown>>;
  /** Tokenizer needed by calls, for an early check; undefined without one. */
  tokenizerOf(tools: ToolsConfig): string | undefined;
  /** User modules behind configured tags, for an early check; absent: none. */
  modulesOf?(tools: ToolsConfig, tags: readonly string[]): readonly OwnModule[];
  /**
   * Opens the tools of configured tags.
   * @throws UserError when the configuration is wrong, RecordFailure when a server does not answer
   */
  open(tags: readonly string[], context: ToolContext): Promise<readonly Tool[]>;
  /** Opens the endpoint of its server; absent if `coa-distill serve tools` does not offer the configured tool. */
  readonly serve?: (context: ToolContext) => Promise<ToolEndpoint>;
}

/** {@link ToolRow} of a tool with its own section, which each method receives. */
export interface SectionRow<Section> {
  /** Default: `local`. */
  providerOf?(section: Section): string;
  readonly seesSite?: true;
  checkEnvironment?(section: Section, env: NodeJS.ProcessEnv): void;
  /** Like {@link ToolRow}, for its own member only. */
  fingerprint?(section: Section, part: ToolsConfig, tools: ToolsConfig): object;
  tokenizerOf?(section: Section): string;
  /** Undefined if the context lacks something that the tool needs. */
  open(section: Section, context: ToolContext): Promise<Tool | undefined>;
  serve?(section: Section, context: ToolContext): Promise<ToolEndpoint>;
}

/** Row of a tool named like its section. */
export function sectionRow<Name extends ToolName>(
  name: Name,
  about: SectionRow<NonNullable<ToolsConfig[Name]>>,
): ToolRow {
  const { serve } = about;
  const sectionOf = (tools: ToolsConfig) => tools[name] as NonNullable<ToolsConfig[Name]>;
  return {
    tagsOf: (tools) => (tools[name] === undefined ? [] : [name]),
    providerOf: (tools) => about.providerOf?.(sectionOf(tools)) ?? 'local',
    seesSite: about.seesSite === true,
    checkEnvironment: (tools, _tag, env) => about.checkEnvironment?.(sectionOf(tools), env),
    fingerprint: (part, tools) =>
      part[name] && about.fingerprint ? { [name]: about.fingerprint(sectionOf(part), part, tools) } : {},
    tokenizerOf: (tools) => about.tokenizerOf?.(sectionOf(tools)),
    open: async (_tags, context) => {
      const tool = await about.open(sectionOf(context.tools), context);
      return tool ? [tool] : [];
    },
    ...(serve && { serve: (context) => serve(sectionOf(context.tools), context) }),
  };
}
