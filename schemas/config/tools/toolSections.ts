import type { z } from 'zod';
import { codeConfigSchema } from './code.ts';
import { crawlPageConfigSchema } from './crawlPage.ts';
import { type ToolName, toolNames } from './toolNames.ts';
import { visualInspectorConfigSchema } from './visualInspector.ts';
import { webSearchConfigSchema } from './webSearch.ts';
import { type WikiSearchConfig, wikiSearchConfigSchema } from './wikiSearch.ts';

/** What the configuration knows of a tool that comes with coa-distill; `tools/toolTable.ts` says how it is opened. */
export interface ToolSection {
  /** The tool's section, named as the tag that calls it. */
  readonly schema: z.ZodType;
  /** Keys of the section that name a model which the tool asks. */
  readonly models?: Readonly<Record<string, ToolSectionModel>>;
  /** Default port of its server under `coa-distill tools serve`; absent where it has none. */
  readonly port?: number;
  /** True when a custom or MCP tool may answer its tag where the section is absent. */
  readonly yieldsTag?: true;
}

/** A model that a tool asks. */
export interface ToolSectionModel {
  readonly kind: 'chat' | 'embeddings';
  /** Whether calls of the tool ask it; always where absent. */
  readonly isAsked?: (section: never) => boolean;
}

/** The tools that come with coa-distill, by the tag that calls them. */
export const toolSections = {
  web_search: { schema: webSearchConfigSchema, port: 9001 },
  crawl_page: { schema: crawlPageConfigSchema, port: 9000, models: { summary: { kind: 'chat' } } },
  wiki_search: {
    schema: wikiSearchConfigSchema,
    port: 8000,
    models: { dense: { kind: 'embeddings', isAsked: ({ mode }: WikiSearchConfig) => mode !== 'bm25' } },
  },
  code: { schema: codeConfigSchema },
  visual_inspector: {
    schema: visualInspectorConfigSchema,
    models: { model: { kind: 'chat' } },
    yieldsTag: true,
  },
} as const satisfies Readonly<Record<ToolName, ToolSection>>;

type Sections = typeof toolSections;

/** A tool that `coa-distill tools serve` has a server for. */
export type ServedToolName = {
  [Name in ToolName]: Sections[Name] extends { port: number } ? Name : never;
}[ToolName];

/** A key of `tools` that names a model, such as `crawl_page.summary`. */
export type ToolModelPart = {
  [Name in ToolName]: Sections[Name] extends { models: infer Models }
    ? `${Name}.${keyof Models & string}`
    : never;
}[ToolName];

/** The facts of a tool, typed as any tool's. */
export function toolSection(name: ToolName): ToolSection {
  return toolSections[name];
}

/** The tools that `coa-distill tools serve` has a server for. */
export const servedToolNames = toolNames.filter(
  (name): name is ServedToolName => toolSection(name).port !== undefined,
);
