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

/** What tools are opened with. */
export interface ToolContext extends Session {
  readonly tools: ToolsConfig;
  /** Where search indexes are kept; they can be rebuilt. */
  readonly cacheFolder: string;
  /** Where programs run; without it `code` stays closed. */
  readonly sandbox: Sandbox | undefined;
  /** Models that tools ask, behind the cache, limits and spending log. */
  readonly models: ToolModels;
  /** The bundled site, started when it is first asked for; undefined where none is configured. */
  readonly openSite: () => Promise<OpenedSite | undefined>;
  readonly openTokenizer: (name: string) => Promise<Tokenizer>;
  readonly createServiceCaller: (limits: ServiceLimits) => CallService;
  /**
   * The definition that a tool's server gives: the one that was kept where there is one, so that replays offer the
   * same tool. Offline, `ask` is never called.
   */
  readonly keepDefinition: (tag: string, ask: () => Promise<ToolDefinition>) => Promise<ToolDefinition>;
}

/** The bundled site, serving its pages. */
export interface OpenedSite {
  /** Public name of its host. */
  readonly host: string;
  readonly server: SiteServer;
}

/** A kind of tool: one that comes with coa-distill, or those that a section such as `custom` declares. */
export interface ToolRow {
  /** Tags of the configured tools of this kind. */
  tagsOf(tools: ToolsConfig): readonly string[];
  /** Who answers a configured tag's calls: an address without secrets, `web`, or `local` for this machine. */
  providerOf(tools: ToolsConfig, tag: string): string;
  /** True when results depend on the bundled site. */
  readonly seesSite: boolean;
  /** Throws `UserError` when the environment lacks a key or a value that a configured tag's calls need. */
  checkEnvironment(tools: ToolsConfig, tag: string, env: NodeJS.ProcessEnv): void;
  /**
   * What shapes results besides the keys that say so in their schema, for instance prompts: members of a fingerprint's
   * `tools` that replace those of `part`.
   *
   * @param part `tools` with those keys alone
   */
  fingerprint?(part: ToolsConfig, tools: ToolsConfig): Readonly<Record<string, unknown>>;
  /** The tokenizer that calls load, so that it can be tried before anything is paid; undefined where they need none. */
  tokenizerOf(tools: ToolsConfig): string | undefined;
  /** Modules of the user's own behind configured tags, so that they can be tried before anything is paid; absent: none. */
  modulesOf?(tools: ToolsConfig, tags: readonly string[]): readonly OwnModule[];
  /**
   * Opens the tools of configured tags.
   *
   * @throws UserError when the configuration is wrong, RecordFailure when a server does not answer
   */
  open(tags: readonly string[], context: ToolContext): Promise<readonly Tool[]>;
  /** Opens the endpoint of its server; absent where `coa-distill serve tools` has none. The tool is configured. */
  readonly serve?: (context: ToolContext) => Promise<ToolEndpoint>;
}

/** What a {@link ToolRow} says of a tool with a section of its own; each method is given that section. */
export interface SectionRow<Section> {
  /** `local` where absent. */
  providerOf?(section: Section): string;
  readonly seesSite?: true;
  checkEnvironment?(section: Section, env: NodeJS.ProcessEnv): void;
  /** As in {@link ToolRow}, for its own member alone. */
  fingerprint?(section: Section, part: ToolsConfig, tools: ToolsConfig): object;
  tokenizerOf?(section: Section): string;
  /** Undefined where the context lacks what the tool works with. */
  open(section: Section, context: ToolContext): Promise<Tool | undefined>;
  serve?(section: Section, context: ToolContext): Promise<ToolEndpoint>;
}

/** The row of a tool that is called by its section's name. */
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
