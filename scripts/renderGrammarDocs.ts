import type { Profile } from '../schemas/coa/profile.ts';
import {
  bodyWords,
  renderGrammarDiagram,
  ruleSentences,
  wayInWords,
  waysOn,
  writerOf,
} from '../schemas/coa/renderGrammar.ts';

/** The sections on profiles of `docs/grammar.md`, made from their tables. */
export function renderGrammarSections(profiles: readonly Profile[]): string {
  return profiles.map(profileSection).join('\n');
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
