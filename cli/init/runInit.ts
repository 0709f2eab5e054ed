import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { onDisk } from '../../base/files/diskError.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { type JsonObject, parseJson } from '../../base/json.ts';
import { packageFolder } from '../../base/packageVersion.ts';
import { quoteShellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';
import { runnable } from '../programCommand.ts';
import { type ProjectChoices, type TemplateProfile, templateFiles, templateProfiles } from './templates.ts';

type ExampleFile = string | { readonly from: string };

/** Number of example tasks, enough for each stage to have work. */
const TASKS = 12;

/** Files of an example from the bundled world: tasks, their script, and sources for its tools. */
async function exampleFiles(profile: TemplateProfile): Promise<ReadonlyMap<string, ExampleFile>> {
  const bundled = (name: string) => join(packageFolder(), 'examples', name);
  const script = new Map(
    (await rowsOf(bundled('quickstart.script.jsonl'))).map((row) => [row.question, row]),
  );
  const tasks = (await rowsOf(bundled(`tasks/${profile}.jsonl`)))
    // Its twin comes later in the file.
    .filter(({ question }) => script.get(question)?.flaw !== 'duplicate_question')
    .slice(0, TASKS);
  return new Map<string, ExampleFile>([
    ['tasks.jsonl', jsonl(tasks)],
    ['script.jsonl', jsonl(tasks.map(({ question }) => script.get(question)!))],
    ...(profile === 'web' ? ([['site', { from: bundled('atlas/site') }]] as const) : []),
    ...(profile === 'mhqa' ? ([['passages.jsonl', { from: bundled('atlas/passages.jsonl') }]] as const) : []),
  ]);
}

async function rowsOf(file: string): Promise<JsonObject[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => parseJson(line) as JsonObject);
}

function jsonl(rows: readonly JsonObject[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

export interface InitOptions {
  /** Bundled example to copy; excludes the other choices. */
  readonly example?: TemplateProfile;
  readonly profile?: TemplateProfile;
  readonly baseUrl?: string;
  readonly model?: string;
  /** Relative to the working directory. */
  readonly tasks?: string;
  readonly json?: true;
}

/** Options together with answers from the prompt. */
interface InitAnswers extends InitOptions {
  /** Relative to the working directory. */
  readonly corpus?: string;
}

/** Writes the files of a new project; writes none if one exists. */
export async function runInit(folder: string, options: InitOptions): Promise<void> {
  const isAsked = process.stdin.isTTY && process.stdout.isTTY && !options.json;
  const { example } = options;
  const isOpen = options.profile === undefined && example === undefined;
  const answers = isAsked && isOpen ? await askForChoices(options) : options;
  const choices: ProjectChoices = example
    ? { profile: example, example: true }
    : await choicesOf(folder, answers);
  const copied = example ? await exampleFiles(example) : new Map<string, ExampleFile>();
  const files = new Map<string, ExampleFile>([...templateFiles(choices, await schemaText()), ...copied]);
  refuseToReplace(folder, [...files.keys()]);
  await makeFolder(folder);
  for (const [name, file] of files) {
    const path = join(folder, name);
    await onDisk(path, () =>
      typeof file === 'string'
        ? writeFile(path, file, { flag: 'wx' })
        : cp(file.from, path, { recursive: true }),
    );
    if (!options.json) console.log(relative(process.cwd(), path));
  }
  if (options.json) return console.log(JSON.stringify({ folder: resolve(folder), files: [...files.keys()] }));
  const run = `coa-distill run ${quoteShellWord(join(folder, 'coa.yaml'))}`;
  if (example) return console.log(runnable(`\nNext: ${run}`));
  const first =
    choices.tasks === undefined
      ? `put your tasks into ${join(folder, 'tasks.jsonl')}, then: `
      : choices.profile === 'mhqa' && choices.corpus === undefined
        ? `name the passages of your tasks in ${join(folder, 'coa.yaml')} (tools.wiki_search.corpus), then: `
        : '';
  console.log(runnable(`\nNext: ${first}${run} --dry-run`));
}

/** JSON Schema of `coa.yaml`, prebuilt in the package since loading all schemas is slow. */
async function schemaText(): Promise<string> {
  const built = new URL('coa.schema.json', import.meta.url);
  if (existsSync(built)) return readFile(built, 'utf8');
  const { configSchemaText } = await import('../../pipeline/config/configJsonSchema.ts');
  return configSchemaText();
}

async function choicesOf(
  folder: string,
  { profile, baseUrl, model, tasks, corpus }: InitAnswers,
): Promise<ProjectChoices> {
  if (profile === undefined) {
    throw new UserError(`--profile: expected one of ${templateProfiles.join(', ')}; in a terminal init asks`);
  }
  if (tasks && !existsSync(tasks)) throw new UserError(`--tasks: no such file: ${tasks}`);
  if (baseUrl) {
    const { checkedServiceUrl } = await import('../../pipeline/config/loadConfig.ts');
    checkedServiceUrl(baseUrl, '--base-url');
  }
  return {
    profile,
    ...(baseUrl && { baseUrl }),
    ...(model && { model }),
    ...(tasks && { tasks: relative(folder, tasks), ...(await columnsOf(tasks, profile)) }),
    ...(tasks && corpus && { corpus: relative(folder, corpus) }),
  };
}

/** Columns of a task file, inferred from its first rows; prints what could not be inferred. */
async function columnsOf(tasks: string, profile: TemplateProfile): Promise<Pick<ProjectChoices, 'columns'>> {
  const { columnsYaml, missingColumns, missingColumnsText } = await import(
    '../../schemas/tasks/guessColumns.ts'
  );
  const { layoutOf } = await import('../../schemas/tasks/layoutOf.ts');
  const { builtinProfile } = await import('../../schemas/coa/profiles/builtin.ts');
  const { MAX_BAD_ROWS_NAMED } = await import('../../stages/tasks/openTaskSources.ts');
  const { rowFilesAt } = await import('../../base/rows/rowFilesAt.ts');
  const { firstRows, openRowFile } = await import('../../base/rows/openRowFile.ts');
  const files = await Promise.all((await rowFilesAt(tasks)).map(({ path }) => openRowFile(path)));
  const rows = await firstRows(files, MAX_BAD_ROWS_NAMED);
  const layout = layoutOf({ preset: 'generic', columns: {} }, rows[0], true);
  const found = missingColumns(rows, layout, builtinProfile(profile)!.domain);
  const guessed = found.filter(({ guess }) => guess !== undefined);
  const unknown = found.filter(({ guess }) => guess === undefined);
  if (unknown.length > 0) console.error(`note: ${tasks}: ${missingColumnsText(unknown, rows)}`);
  if (guessed.length === 0) return {};
  console.error(`note: ${tasks}: ${columnsYaml(guessed)} looks right; it is in coa.yaml`);
  return { columns: columnsYaml(guessed) };
}

function refuseToReplace(folder: string, names: readonly string[]): void {
  const inTheWay = names.find((name) => existsSync(join(folder, name)));
  if (inTheWay === undefined) return;
  throw new UserError(
    `${join(folder, inTheWay)} is there already; choose another folder, or remove it first`,
  );
}

const profileHints: Readonly<Record<TemplateProfile, string>> = {
  web: 'search the web and read pages',
  mhqa: 'look passages up in a corpus, in several steps',
  code: 'write programs that tests judge',
  math: 'calculate with programs',
};

/** Prompts for missing options. Ctrl-C, Ctrl-D and a closed terminal throw `Interrupted`. */
async function askForChoices(given: InitOptions): Promise<InitAnswers> {
  const { isCancel, select, text } = await import('@clack/prompts');
  const { Interrupted } = await import('../../pipeline/run/runError.ts');
  const ended = new AbortController();
  process.stdin.on('keypress', (_, key?: { readonly ctrl: boolean; readonly name?: string }) => {
    if (key?.ctrl && key.name === 'd') ended.abort();
  });
  process.stdin.on('end', () => ended.abort());
  const { signal } = ended;
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (!isCancel(answer)) return answer as Exclude<T, symbol>;
    console.error('nothing written');
    throw new Interrupted('SIGINT');
  };
  const profile = answered(
    await select({
      signal,
      message: 'What do the agents do?',
      options: templateProfiles.map((value) => ({ value, label: value, hint: profileHints[value] })),
    }),
  );
  const ask = async (message: string, placeholder: string, known: string | undefined) =>
    known ?? answered(await text({ signal, message, placeholder, defaultValue: '' }));
  const choices = {
    profile,
    baseUrl: await ask('The endpoint of the teacher?', 'https://api.openai.com/v1', given.baseUrl),
    model: await ask('Its model?', 'gpt-4.1-mini', given.model),
    tasks: await ask('A file with your tasks?', 'none yet: a sample is written', given.tasks),
  };
  if (profile !== 'mhqa' || choices.tasks === '') return choices;
  const corpus = await ask('A file with the passages that they ask about?', 'none yet', undefined);
  return { ...choices, corpus };
}
