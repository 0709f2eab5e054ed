import type { ToolName } from '../schemas/config/tools/toolFacts.ts';
import type { ToolsConfig } from '../schemas/config/tools.ts';
import { codeRow } from './code/createCodeTool.ts';
import { crawlPageRow } from './crawlPage/crawlPageRow.ts';
import { customRow } from './custom/customRow.ts';
import { mcpRow } from './mcp/mcpRow.ts';
import type { ToolRow } from './toolRow.ts';
import { visualInspectorRow } from './visualInspector/visualInspectorRow.ts';
import { webSearchRow } from './webSearch/webSearchRow.ts';
import { wikiSearchRow } from './wikiSearch/wikiSearchRow.ts';

const builtinRows: Readonly<Record<ToolName, ToolRow>> = {
  web_search: webSearchRow,
  crawl_page: crawlPageRow,
  wiki_search: wikiSearchRow,
  code: codeRow,
  visual_inspector: visualInspectorRow,
};

/** All kinds of tools. */
export const toolTable: readonly ToolRow[] = [...Object.values(builtinRows), customRow, mcpRow];

/**
 * Settings of a configuration's tools that affect their results.
 * @param part `tools` with the keys alone that say in their schema that they do
 */
export function fingerprintOfTools(part: ToolsConfig, tools: ToolsConfig): object {
  return Object.assign({}, part, ...toolTable.map((row) => row.fingerprint?.(part, tools) ?? {}));
}

export function configuredTags(tools: ToolsConfig): string[] {
  return toolTable.flatMap((row) => row.tagsOf(tools));
}

/** Rows of configured and wanted tools with their tags. */
export function wantedRows(
  tools: ToolsConfig,
  wanted: ReadonlySet<string>,
): { readonly row: ToolRow; readonly tags: readonly string[] }[] {
  return toolTable.flatMap((row) => {
    const tags = row.tagsOf(tools).filter((tag) => wanted.has(tag));
    return tags.length === 0 ? [] : [{ row, tags }];
  });
}

/** Row of a configured tag; otherwise undefined. */
export function rowOfTag(tools: ToolsConfig, tag: string): ToolRow | undefined {
  return toolTable.find((row) => row.tagsOf(tools).includes(tag));
}
