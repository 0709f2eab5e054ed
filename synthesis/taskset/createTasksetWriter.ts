import { byName, Counts } from '../../base/counts.ts';
import type { AtomicFile } from '../../base/files/atomicFile.ts';
import { RowCounts } from '../../output/dataset/datasetCounts.ts';
import { markdownTable } from '../../output/dataset/formatReadme.ts';
import { PartialFolder } from '../../output/dataset/partialFolder.ts';
import { renderYaml } from '../../output/quoting/renderYaml.ts';
import type { Task } from '../../schemas/task.ts';
import { checkerText, searchText, type TasksetManifest } from '../records/tasksetManifest.ts';

/** Writes tasks to files that appear together at the end. */
export interface TasksetWriter {
  /** Writes a task; returns its position in the file. */
  write(task: Omit<Task, 'source'>, isHeldOut: boolean): Promise<Task['source']>;
  finish(): Promise<void>;
  abort(): Promise<void>;
}

/** Metadata of a set of tasks. */
export interface TasksetFacts
  extends Pick<TasksetManifest, 'coa_distill_version' | 'config_hash' | 'profile' | 'models' | 'checker'> {
  readonly name: string;
}

interface TasksetWriterOptions extends TasksetFacts {
  /** Final folder; an existing one is replaced at the end. */
  readonly folder: string;
}

const [TASKS, HELD_OUT] = ['tasks.jsonl', 'held_out.jsonl'];

/** Begins a folder of tasks: `tasks.jsonl` for runs, `held_out.jsonl` if tasks are held out, a manifest and a card. */
export async function createTasksetWriter(options: TasksetWriterOptions): Promise<TasksetWriter> {
  return new FolderTasksetWriter(options, await PartialFolder.create(options.folder));
}

class FolderTasksetWriter implements TasksetWriter {
  readonly #options: TasksetWriterOptions;
  readonly #folder: PartialFolder;
  readonly #files = new Map<string, { readonly file: AtomicFile; readonly counts: RowCounts }>();
  readonly #counts = {
    hops: new Counts(),
    searched: new Counts(),
    shown_by_search: new Counts(),
    operations: new Counts(),
    checks: new Counts(),
    documents: new Counts(),
  };

  constructor(options: TasksetWriterOptions, folder: PartialFolder) {
    this.#options = options;
    this.#folder = folder;
  }

  async write(
    { question, answers, synthesis }: Omit<Task, 'source'>,
    isHeldOut: boolean,
  ): Promise<Task['source']> {
    const name = isHeldOut ? HELD_OUT : TASKS;
    const open = this.#files.get(name) ?? {
      file: await this.#folder.openFile(name),
      counts: new RowCounts(),
    };
    this.#files.set(name, open);
    await open.file.write(`${JSON.stringify({ question, answers, synthesis })}\n`.toWellFormed());
    this.#count(synthesis!);
    return { file: name, row: ++open.counts.rows };
  }

  #count({ hops, chain, checks, effort }: NonNullable<Task['synthesis']>): void {
    const counts = this.#counts;
    counts.hops.add(String(hops));
    if (effort.one_search !== undefined) counts.searched.add(String(hops));
    if (effort.one_search) counts.shown_by_search.add(String(hops));
    const ops = new Set(chain.map((step) => step.op));
    if (ops.size > 1) ops.delete('atomic');
    for (const op of ops) counts.operations.add(op);
    const passed = checks.filter(({ verdict }) => verdict === 'pass');
    for (const name of new Set(passed.map((check) => check.name))) counts.checks.add(name);
    for (const document of new Set(chain.map((step) => step.document))) counts.documents.add(document);
  }

  async finish(): Promise<void> {
    for (const [name, { counts }] of this.#files)
      await this.#folder.closeRowsFile(name, counts, name === HELD_OUT ? 'validation' : 'train');
    const rowsOf = (name: string) => this.#files.get(name)?.counts.rows ?? 0;
    const { coa_distill_version, config_hash, profile, models, checker } = this.#options;
    const { documents, ...counts } = this.#counts;
    const manifest: TasksetManifest = {
      format_version: 1,
      ...{ coa_distill_version, config_hash, profile },
      tasks: rowsOf(TASKS) + rowsOf(HELD_OUT),
      held_out: rowsOf(HELD_OUT),
      hops: byName(counts.hops),
      searched: byName(counts.searched),
      shown_by_search: byName(counts.shown_by_search),
      operations: byName(counts.operations),
      checks: byName(counts.checks),
      documents: Object.fromEntries([...documents].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))),
      models,
      ...(checker && { checker }),
      files: this.#folder.files.map(({ path, sha256, bytes, rows }) => ({ path, sha256, bytes, rows })),
    };
    await this.#folder.writeFile('README.md', tasksetCard(this.#options.name, manifest));
    await this.#folder.writeFile('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`);
    await this.#folder.commit();
  }

  abort(): Promise<void> {
    return this.#folder.discard();
  }
}

/** Maximum documents listed on the card. */
const MOST_DOCUMENTS = 20;

function tasksetCard(name: string, manifest: TasksetManifest): string {
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
