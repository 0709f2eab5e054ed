import type { z } from 'zod';
import type { ModelUse } from '../keyMeaning.ts';
import { codeConfigSchema } from './code.ts';
import { crawlPageConfigSchema } from './crawlPage.ts';
import type { ToolName } from './toolFacts.ts';
import { visualInspectorConfigSchema } from './visualInspector.ts';
import { webSearchConfigSchema } from './webSearch.ts';
import { type WikiSearchConfig, wikiSearchConfigSchema } from './wikiSearch.ts';

/** What the configuration knows of a tool that comes with coa-distill; `tools/toolTable.ts` says how it is opened. */
interface ToolSection {
  /** The tool's section, named as the tag that calls it. */
  readonly schema: z.ZodType;
  /** Keys of the section that hold a model which the tool asks; `isAsked`: whether calls ask it, always where absent. */
  readonly models?: Readonly<
    Record<string, { readonly kind: ModelUse; readonly isAsked?: (section: never) => boolean }>
  >;
}

/** The tools that come with coa-distill, by the tag that calls them. */
export const toolSections = {
  web_search: { schema: webSearchConfigSchema },
  crawl_page: { schema: crawlPageConfigSchema, models: { 'summary.model': { kind: 'chat' } } },
  wiki_search: {
    schema: wikiSearchConfigSchema,
    models: {
      'dense.model': { kind: 'embeddings', isAsked: ({ mode }: WikiSearchConfig) => mode !== 'bm25' },
    },
  },
  code: { schema: codeConfigSchema },
  visual_inspector: {
    schema: visualInspectorConfigSchema,
    models: { model: { kind: 'chat' } },
  },
} as const satisfies Readonly<Record<ToolName, ToolSection>>;

type Sections = typeof toolSections;

/** A key of `tools` that holds a model, such as `crawl_page.summary.model`. */
export type ToolModelPart = {
  [Name in ToolName]: Sections[Name] extends { models: infer Models }
    ? `${Name}.${keyof Models & string}`
    : never;
}[ToolName];

/** The section of a tool, typed as any tool's. */
export function toolSection(name: ToolName): ToolSection {
  return toolSections[name];
}
