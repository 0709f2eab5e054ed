/** What is known of a tool without its schema, so that `--help` can ask it and stays quick. */
interface ToolFacts {
  /** Default port of its server under `coa-distill serve tools`; absent where it has none. */
  readonly port?: number;
  /** True when it works with the defaults of its section, so that `tools call` needs no configuration. */
  readonly needsNoSettings?: true;
  /** The least that the configuration must say of it, where that fits a line. */
  readonly leastSettings?: string;
  /** True when a custom or MCP tool may answer its tag where its section is absent. */
  readonly yieldsTag?: true;
}

/** The tools that come with coa-distill, by the tag that calls them, in the order in which they are listed. */
export const toolFacts = {
  web_search: { port: 9001, leastSettings: '{ provider: searxng, base_url: "http://127.0.0.1:8080" }' },
  crawl_page: { port: 9000, needsNoSettings: true },
  wiki_search: { port: 8000, leastSettings: '{ corpus: passages.jsonl }' },
  code: { needsNoSettings: true },
  visual_inspector: { yieldsTag: true },
} as const satisfies Readonly<Record<string, ToolFacts>>;

/** A tool that comes with coa-distill. */
export type ToolName = keyof typeof toolFacts;

/** A tool that `coa-distill serve tools` has a server for. */
export type ServedToolName = {
  [Name in ToolName]: (typeof toolFacts)[Name] extends { port: number } ? Name : never;
}[ToolName];

/** The tools' names, in the order in which they are listed. */
export const toolNames = Object.keys(toolFacts) as readonly ToolName[];

/** The facts of a tool, typed as any tool's. */
export function toolFactsOf(name: ToolName): ToolFacts {
  return toolFacts[name];
}

/** The tools that `coa-distill serve tools` has a server for. */
export const servedToolNames = toolNames.filter(
  (name): name is ServedToolName => toolFactsOf(name).port !== undefined,
);
