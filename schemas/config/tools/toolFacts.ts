/** Facts of a tool without its schema, so that `--help` stays fast. */
interface ToolFacts {
  /** Default port of its server under `coa-distill serve tools`; absent without one. */
  readonly port?: number;
  /** True if it works with defaults, so that `tools call` needs no configuration. */
  readonly needsNoSettings?: true;
  /** Minimal configuration, if it fits a line. */
  readonly leastSettings?: string;
  /** True if a custom or MCP tool may use its tag when its section is absent. */
  readonly yieldsTag?: true;
}

/** Built-in tools by tag, in display order. */
export const toolFacts = {
  web_search: { port: 9001, leastSettings: '{ provider: searxng, base_url: "http://127.0.0.1:8080" }' },
  crawl_page: { port: 9000, needsNoSettings: true },
  wiki_search: { port: 8000, leastSettings: '{ corpus: passages.jsonl }' },
  code: { needsNoSettings: true },
  visual_inspector: { yieldsTag: true },
} as const satisfies Readonly<Record<string, ToolFacts>>;

/** Name of a built-in tool. */
export type ToolName = keyof typeof toolFacts;

/** Name of a tool with a server in `coa-distill serve tools`. */
export type ServedToolName = {
  [Name in ToolName]: (typeof toolFacts)[Name] extends { port: number } ? Name : never;
}[ToolName];

/** Tool names in display order. */
export const toolNames = Object.keys(toolFacts) as readonly ToolName[];

/** Facts of a tool, typed generically. */
export function toolFactsOf(name: ToolName): ToolFacts {
  return toolFacts[name];
}

/** Tools with a server in `coa-distill serve tools`. */
export const servedToolNames = toolNames.filter(
  (name): name is ServedToolName => toolFactsOf(name).port !== undefined,
);
