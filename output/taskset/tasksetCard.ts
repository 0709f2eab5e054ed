import { checkerText, searchText, type TasksetManifest } from '../../schemas/synthesis/tasksetManifest.ts';
import { markdownTable } from '../dataset/formatReadme.ts';
import { renderYaml } from '../quoting/renderYaml.ts';

/** Documents that the card names. */
const MOST_DOCUMENTS = 20;

/** `README.md` of a folder of tasks: what they are, how they were checked, which documents they come from. */
export function tasksetCard(name: string, manifest: TasksetManifest): string {
  const { tasks, held_out, profile, hops, operations, checks, documents, models, checker } = manifest;
  const front = { pretty_name: name, task_categories: ['question-answering'], tags: ['agents', 'synthetic'] };
  const used = Object.entries(documents);
  const counted = (title: string, counts: Readonly<Record<string, number>>) =>
    markdownTable([title, 'tasks'], Object.entries(counts));
  return `---
${renderYaml(front)}---

# ${name}

${tasks} tasks for agents with the profile ${profile}, made from documents by coa-distill ${manifest.coa_distill_version}. \`tasks.jsonl\` holds ${tasks - held_out} of them${held_out === 0 ? '' : `, \`held_out.jsonl\` ${held_out}: no answer of one file is an answer of the other`}.

An answer is the only one among the facts that were read from the documents, as many as \`synthesis.facts\` of a row says; nobody knows of others. Each fact of \`synthesis.chain\` is a quote of a document. A check that is not listed was not made.

${markdownTable(
  ['hops', 'tasks', 'answer shown by one search'],
  Object.entries(hops).map(([name, count]) => [name, count, searchText(manifest, name)]),
)}

${counted('made by', operations)}

${counted('check passed', checks)}

${markdownTable(['asked for', 'model'], Object.entries(models))}

${checker ? `${checkerText(checker, models.write!).replace(/^t/, 'T')}.\n\n` : ''}The questions quote ${used.length} documents; whoever passes the tasks on answers for their licences. The most used:

${counted('document', Object.fromEntries(used.slice(0, MOST_DOCUMENTS)))}
`;
}
