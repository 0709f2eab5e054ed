import { type Profile, type TagRule, tagRule } from '../../../schemas/coa/profile.ts';

/**
 * Tool names of other systems by our tag. Names are compared in lower case, with `-` and white space as `_`. A name
 * that is a tag of the profile is that tag; `--map` has precedence.
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

/** `--map tool=tag`: tool names in the files to tags of the profile. */
export type ToolMap = ReadonlyMap<string, string>;

/** Tag of a foreign tool under a profile; undefined if unknown. */
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

/** Our name of a foreign tool, otherwise its own. */
export function commonToolName(name: string): string {
  const folded = foldedName(name);
  return tagOfName.get(folded) ?? folded;
}

/** True if a foreign tool's name is an action here, such as `final_answer`. */
export function isActionTool(name: string): boolean {
  return ['think', 'answer'].includes(commonToolName(name));
}
