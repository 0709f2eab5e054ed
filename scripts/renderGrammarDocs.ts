import type { Profile } from '../schemas/coa/profile.ts';
import { bodyWords, renderGrammarDiagram, ruleSentences, writerOf } from '../schemas/coa/renderGrammar.ts';

/** The sections on profiles of `docs/grammar.md`, made from their tables; tags and rules of all come first. */
export function renderGrammarSections(profiles: readonly Profile[]): string {
  const tags = sharedOf(profiles.map(tagRows));
  const rules = sharedOf(profiles.map(ruleSentences));
  const written = new Map<string, string>();
  const sections = profiles.map((profile) => {
    const body = profileBody(profile, { tags, rules });
    const same = written.get(body);
    if (same === undefined) written.set(body, profile.name);
    return `## ${profile.name}\n\n${profile.title}.${same ? ` Same tags and rules as [${same}](#${same}).\n` : `\n\n${body}`}`;
  });
  return [`## In every profile\n\n${tagTable(tags)}\n${ruleList(rules)}`, ...sections].join('\n');
}

/** Members that all lists have. */
function sharedOf([first = [], ...others]: readonly string[][]): string[] {
  return first.filter((member) => others.every((list) => list.includes(member)));
}

interface Shared {
  readonly tags: readonly string[];
  readonly rules: readonly string[];
}

function profileBody(profile: Profile, shared: Shared): string {
  const tags = tagRows(profile).filter((row) => !shared.tags.includes(row));
  const rules = ruleSentences(profile).filter((sentence) => !shared.rules.includes(sentence));
  return `${tagTable(tags)}
\`\`\`mermaid
${renderGrammarDiagram(profile)}\`\`\`

${ruleList(rules)}`;
}

function tagRows({ tags }: Profile): string[] {
  return tags.map((rule) => {
    const { tag, agent, kind, body } = rule;
    return tableRow([`\`<${tag}>\``, agent, kind, writerOf(rule), bodyWords[body]]);
  });
}

function tagTable(rows: readonly string[]): string {
  return `| tag | agent | kind | written by | holds |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

function ruleList(sentences: readonly string[]): string {
  return sentences.map((sentence) => `- ${sentence.replaceAll(/<\w+>/g, '`$&`')}\n`).join('');
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll(' | ', ' or ').replaceAll('|', '\\|')).join(' | ')} |`;
}
