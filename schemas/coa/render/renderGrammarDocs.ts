import type { Profile } from '../profile.ts';
import { bodyWords, ruleSentences, wayInWords, waysOn, writerOf } from './renderGrammarText.ts';

const introduction = `# Grammars

\`\`\`sh
coa-distill show profile mhqa
\`\`\`

A Chain-of-Agents trajectory is one text in which a model plays a whole team: each agent's words stand between its tags, and what a tool returned stands in \`<observation>\`, which the model never writes. Which tags there are and what may follow what is an agent profile: a table that the teacher, the parser, the linter, the masks and the prompts all read. \`coa-distill show profile NAME\` prints one, \`--mermaid\` as a diagram, \`--json\` as the table itself.

Diagrams show actions alone. Thinking and observations stand where the rules below each diagram say.

## A profile of your own

The \`profiles\` section of a configuration declares more. A profile lists its members as the built-in ones do, or \`extends\` one and says what differs: tags and entries of \`follows\` are added or replaced by name, every other member is replaced whole. A new tool tag gets its tool under \`tools.custom\`: the input goes to the URL as JSON by POST, and the answer, text or JSON, becomes the observation. Or its tool is one of a server of the Model Context Protocol, under \`tools.mcp\`: [MCP](mcp.md).

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

## A prompt of your own

Rows carry a prompt in the user turn, and the built-in ones are our own words. A model that was trained on AFM's rows expects AFM's: under the name of a built-in profile its prompt, and nothing else, can be set, as it can for a declared one.

\`\`\`yaml
profiles:
  - name: web
    instruction_from: afm-web-sft.json      # a dataset: the prompt that its rows share
  - name: math
    instruction_file: prompts/math.txt      # a text in UTF-8; white space around it is left out
    question_join: "\\n\\nTask:\\n"
\`\`\`

| key | gives |
|---|---|
| \`instruction_from\` | the text that the first 1,000 rows of a dataset begin with, up to \`Question:\`, \`Task:\` or \`Problem:\`, and what joins it to the question, every line feed as it stands. Rows have alpaca columns, or a user turn in \`prompt\`, \`messages\` or \`conversations\` |
| \`instruction_file\`, \`instruction\` | the text itself |
| \`question_join\` | what stands between the text and the question: \`"\\nQuestion: "\` by default, as LLaMA-Factory joins AFM's columns for supervised training; \`"\\n\\nQuestion: "\` in AFM's rows for reinforcement learning; \`"\\n\\nTask:\\n"\` where the prompt_style is \`task\`. The last line feed parts the columns \`instruction\` and \`input\` |

Files are read before anything is spent, and their text is kept with the run, so that they need not stay. Another text makes conversion and what follows it stale, never the rollouts. \`coa-distill import afm FILE --config coa.yaml\` recognises rows by the prompts of the configuration's profiles, whatever white space stands around them; such rows keep the prompt that they have.

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

/** What a way on that depends on the action's content is labelled with. */
const labels = { poor: 'Poor', low: 'score 1-2', high: 'score 3-4', otherwise: 'otherwise' } as const;

/**
 * A profile's order as a Mermaid state diagram: one state an action. Ways that depend on what the action holds carry
 * a label; thinking and observations are left out, as they stand before and after actions by rule.
 */
export function renderGrammarDiagram(profile: Profile): string {
  const edges = waysOn(profile).flatMap(({ after, outcome, allowed }) =>
    (allowed.length === 0 ? ['[*]'] : allowed).map(
      (to) => `${after} --> ${to}${outcome === undefined ? '' : ` : ${labels[outcome]}`}`,
    ),
  );
  const lines = [...profile.first.map((to) => `[*] --> ${to}`), ...edges];
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`), ''].join('\n');
}
