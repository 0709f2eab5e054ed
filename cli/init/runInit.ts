import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { onDisk } from '../../base/files/diskError.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { quoteShellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';
import { runnable } from '../programCommand.ts';
import { type ProjectChoices, type TemplateProfile, templateFiles, templateProfiles } from './templates.ts';

export interface InitOptions {
  readonly profile?: TemplateProfile;
  readonly baseUrl?: string;
  readonly model?: string;
  /** Relative to the working directory. */
  readonly tasks?: string;
  readonly json?: true;
}

/** Writes the files of a new project; when one of them is there already, none is written. */
export async function runInit(folder: string, options: InitOptions): Promise<void> {
  const isAsked = process.stdin.isTTY && process.stdout.isTTY && !options.json;
  const answers = isAsked && options.profile === undefined ? await askForChoices(options) : options;
  const choices = await choicesOf(folder, answers);
  const files = templateFiles(choices, await schemaText());
  refuseToReplace(folder, [...files.keys()]);
  await makeFolder(folder);
  for (const [name, text] of files) {
    const path = join(folder, name);
    await onDisk(path, () => writeFile(path, text, { flag: 'wx' }));
    if (!options.json) console.log(relative(process.cwd(), path));
  }
  if (options.json) return console.log(JSON.stringify({ folder: resolve(folder), files: [...files.keys()] }));
  const next = `coa-distill run ${quoteShellWord(join(folder, 'coa.yaml'))} --dry-run`;
  const first =
    choices.tasks === undefined ? `put your tasks into ${join(folder, 'tasks.jsonl')}, then: ` : '';
  console.log(runnable(`\nNext: ${first}${next}`));
}

/** The JSON Schema of `coa.yaml`: the package brings it along, for loading all schemas takes longer than all else here. */
async function schemaText(): Promise<string> {
  const built = new URL('coa.schema.json', import.meta.url);
  if (existsSync(built)) return readFile(built, 'utf8');
  const { configSchemaText } = await import('../../pipeline/config/configJsonSchema.ts');
  return configSchemaText();
}

async function choicesOf(
  folder: string,
  { profile, baseUrl, model, tasks }: InitOptions,
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
    ...(tasks && { tasks: relative(folder, tasks) }),
  };
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

/** Asks for what the command line does not say. Ctrl-C throws `Interrupted`. */
async function askForChoices(given: InitOptions): Promise<InitOptions> {
  const { isCancel, select, text } = await import('@clack/prompts');
  const { Interrupted } = await import('../../pipeline/run/runError.ts');
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (isCancel(answer)) throw new Interrupted('SIGINT');
    return answer as Exclude<T, symbol>;
  };
  const profile = answered(
    await select({
      message: 'What do the agents do?',
      options: templateProfiles.map((value) => ({ value, label: value, hint: profileHints[value] })),
    }),
  );
  const ask = async (message: string, placeholder: string, known: string | undefined) =>
    known ?? answered(await text({ message, placeholder, defaultValue: '' }));
  return {
    profile,
    baseUrl: await ask('The endpoint of the teacher?', 'https://api.openai.com/v1', given.baseUrl),
    model: await ask('Its model?', 'gpt-4.1-mini', given.model),
    tasks: await ask('A file with your tasks?', 'none yet: a sample is written', given.tasks),
  };
}
