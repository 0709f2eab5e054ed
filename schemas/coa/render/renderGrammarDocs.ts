import type { Profile } from '../profile.ts';
import { renderGrammarDiagram } from './renderGrammarDiagram.ts';
import { bodyWords, ruleSentences, wayInWords, writerOf } from './renderGrammarText.ts';
import { waysOn } from './waysOn.ts';

const introduction = `# Grammars

A Chain-of-Agents trajectory is one text in which a model plays a whole team: each agent's words stand between its tags, and what a tool returned stands in \`<observation>\`, which the model never writes. Which tags there are and what may follow what is an agent profile: a table that the teacher, the parser, the linter, the masks and the prompts all read. \`coa-distill grammar NAME\` prints one, \`--mermaid\` as a diagram, \`--json\` as the table itself.

Diagrams show actions alone. Thinking and observations stand where the rules below each diagram say.

## A profile of your own

The \`profiles\` section of a configuration declares more. A profile lists its members as the built-in ones do, or \`extends\` one and says what differs: tags and entries of \`follows\` are added or replaced by name, every other member is replaced whole. A new tool tag gets its tool under \`tools.custom\`: the input goes to the URL as JSON by POST, and the answer, text or JSON, becomes the observation. Or its tool is one of a server of the Model Context Protocol, under \`tools.mcp\`: docs/mcp.md.

\`\`\`yaml
profiles:
  - name: catalogue
    extends: mhqa
    title: Questions about a product catalogue
    tags:
      - { tag: look_up, kind: tool, body: text }
    follows:
      plan: [look_up, answer]
      look_up: [look_up, plan, reflection, answer]
      wiki_search: [wiki_search, look_up, plan, reflection, answer]
      reflection: [plan, look_up, wiki_search, answer]
    think_before: [plan, look_up, wiki_search, reflection, answer]
tools:
  wiki_search: { corpus: passages.jsonl }
  custom:
    look_up:
      url: http://localhost:8080/look-up
      description: Looks a product up by its name.
\`\`\`

A declaration that can't work is refused before anything is spent, with its line and key: unknown tags, actions that nothing leads to, places from which the answer is out of reach, names that are taken. \`coa-distill lint --config coa.yaml\` knows the declared profiles, and text from tools that looks like one of their tags is made harmless like any other.

This page is made from the profiles' tables.
`;

/** The documentation page of the profiles' grammars, made from their tables. */
export function renderGrammarDocs(profiles: readonly Profile[]): string {
  return [introduction, ...profiles.map(profileSection)].join('\n');
}

function profileSection(profile: Profile): string {
  const tags = profile.tags.map((rule) => {
    const { tag, agent, kind, body } = rule;
    return tableRow([`\`<${tag}>\``, agent, kind, writerOf(rule), bodyWords[body]]);
  });
  const order = waysOn(profile).map((way) => {
    const { when, comes } = wayInWords(way);
    return tableRow([`\`<${way.after}>\`${when && ` ${when}`}`, comes.replaceAll(/<\w+>/g, '`$&`')]);
  });
  return `## ${profile.name}

${profile.title}.

| tag | agent | kind | written by | holds |
|---|---|---|---|---|
${tags.join('\n')}

\`\`\`mermaid
${renderGrammarDiagram(profile)}\`\`\`

| after | comes |
|---|---|
| the start | ${profile.first.map((tag) => `\`<${tag}>\``).join(' or ')} |
${order.join('\n')}

${ruleSentences(profile)
  .map((sentence) => `- ${sentence.replaceAll(/<\w+>/g, '`$&`')}`)
  .join('\n')}
`;
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll(' | ', ' or ').replaceAll('|', '\\|')).join(' | ')} |`;
}
