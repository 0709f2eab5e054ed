import { type Profile, type TagRule, tagRule } from '../../../schemas/coa/profile.ts';

/**
 * What tools are called elsewhere, by the tag that they are here. Names are compared in lower case, `-` and white space
 * as `_`. A name that is a tag of the profile is that tag; `--map` wins over everything.
 */
const foreignToolNames = {
  web_search:
    'google_search search_google bing_search brave_search brave_web_search duckduckgo_search serper_search tavily_search search_web internet_search search',
  crawl_page:
    'crawl_pages visit_webpage visit_page visit open_url fetch fetch_url web_fetch read_url browse_page',
  wiki_search: 'wikipedia_search search_wikipedia wikipedia wiki',
  code: 'python python_interpreter pythoninterpreter code_interpreter execute_python run_python execute_code execute_ipython_cell ipython',
  think: 'thought thinking',
  answer: 'final_answer submit_answer finish',
};

const tagOfName = new Map(
  Object.entries(foreignToolNames).flatMap(([tag, names]) => names.split(' ').map((name) => [name, tag])),
);

/** `--map tool=tag`: tool names as they stand in the files, to tags of the profile. */
export type ToolMap = ReadonlyMap<string, string>;

/** The tag that a foreign tool is under a profile; undefined when nothing says so. */
export function tagOfTool(profile: Profile, name: string, map: ToolMap): TagRule | undefined {
  const asked = map.get(name);
  if (asked !== undefined) return tagRule(profile, asked);
  const folded = foldedName(name);
  const own = tagRule(profile, folded);
  if (own && own.kind !== 'observation') return own;
  const tag = tagOfName.get(folded);
  return tag === undefined ? undefined : tagRule(profile, tag);
}

function foldedName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '_');
}

/** What a foreign tool is called here, or else its own name. */
export function commonToolName(name: string): string {
  const folded = foldedName(name);
  return tagOfName.get(folded) ?? folded;
}

/** Whether a foreign tool is an action here by its name, such as `final_answer`. */
export function isActionTool(name: string): boolean {
  return ['think', 'answer'].includes(commonToolName(name));
}
