import type { z } from 'zod';
import type { ModelUse } from '../keyMeaning.ts';
import { codeConfigSchema } from './code.ts';
import { crawlPageConfigSchema } from './crawlPage.ts';
import type { ToolName } from './toolFacts.ts';
import { visualInspectorConfigSchema } from './visualInspector.ts';
import { webSearchConfigSchema } from './webSearch.ts';
import { type WikiSearchConfig, wikiSearchConfigSchema } from './wikiSearch.ts';

/** Configuration of a built-in tool; `tools/toolTable.ts` opens it. */
interface ToolSection {
  /** Section of the tool, named by its tag. */
  readonly schema: z.ZodType;
  /** Keys of the section with a model for the tool; `isAsked`: true if calls use it, default: always. */
  readonly models?: Readonly<
    Record<string, { readonly kind: ModelUse; readonly isAsked?: (section: never) => boolean }>
  >;
}

/** Built-in tools by tag. */
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

/** Key of `tools` with a model, such as `crawl_page.summary.model`. */
export type ToolModelPart = {
  [Name in ToolName]: Sections[Name] extends { models: infer Models }
    ? `${Name}.${keyof Models & string}`
    : never;
}[ToolName];

/** Section of a tool, typed generically. */
export function toolSection(name: ToolName): ToolSection {
  return toolSections[name];
}
