import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { onDisk } from '../../base/files/diskError.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { quoteShellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';
import { runnable } from '../programCommand.ts';
import { type TemplateProfile, templateFiles } from './templates.ts';

/** Writes the files of a new project; when one of them is there already, none is written. */
export async function writeTemplates(folder: string, profile: TemplateProfile): Promise<void> {
  const files = templateFiles(profile);
  const inTheWay = [...files.keys()].find((name) => existsSync(join(folder, name)));
  if (inTheWay !== undefined) {
    throw new UserError(
      `${join(folder, inTheWay)} is there already; choose another folder, or remove it first`,
    );
  }
  await makeFolder(folder);
  for (const [name, text] of files) {
    const path = join(folder, name);
    await onDisk(path, () => writeFile(path, text, { flag: 'wx' }));
    console.log(relative(process.cwd(), path));
  }
  const config = join(folder, 'coa.yaml');
  const next = `coa-distill run ${quoteShellWord(config)} --dry-run`;
  console.log(runnable(`\nNext: put your tasks into ${join(folder, 'tasks.jsonl')}, then: ${next}`));
}
