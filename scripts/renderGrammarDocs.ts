import type { Profile } from '../schemas/coa/profile.ts';
import { bodyWords, renderGrammarDiagram, ruleSentences, writerOf } from '../schemas/coa/renderGrammar.ts';

/** The sections on profiles of `docs/grammar.md`, made from their tables; rules of all profiles come first. */
export function renderGrammarSections(profiles: readonly Profile[]): string {
  const [common = [], ...others] = profiles.map(ruleSentences);
  const shared = common.filter((sentence) => others.every((sentences) => sentences.includes(sentence)));
  const written = new Map<string, string>();
  const sections = profiles.map((profile) => {
    const body = profileBody(profile, shared);
    const same = written.get(body);
    if (same === undefined) written.set(body, profile.name);
    return `## ${profile.name}\n\n${profile.title}.${same ? ` Same tags and rules as [${same}](#${same}).\n` : `\n\n${body}`}`;
  });
  return [`## In every profile\n\n${ruleList(shared)}`, ...sections].join('\n');
}

function profileBody(profile: Profile, shared: readonly string[]): string {
  const tags = profile.tags.map((rule) => {
    const { tag, agent, kind, body } = rule;
    return tableRow([`\`<${tag}>\``, agent, kind, writerOf(rule), bodyWords[body]]);
  });
  return `| tag | agent | kind | written by | holds |
|---|---|---|---|---|
${tags.join('\n')}

\`\`\`mermaid
${renderGrammarDiagram(profile)}\`\`\`

${ruleList(ruleSentences(profile).filter((sentence) => !shared.includes(sentence)))}`;
}

function ruleList(sentences: readonly string[]): string {
  return sentences.map((sentence) => `- ${sentence.replaceAll(/<\w+>/g, '`$&`')}\n`).join('');
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll(' | ', ' or ').replaceAll('|', '\\|')).join(' | ')} |`;
}
