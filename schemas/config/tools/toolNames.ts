/** The tools that come with coa-distill, in the order in which they are listed. Loads nothing, so that `--help` can ask it. */
export const toolNames = ['web_search', 'crawl_page', 'wiki_search', 'code', 'visual_inspector'] as const;

/** A tool that comes with coa-distill. */
export type ToolName = (typeof toolNames)[number];
