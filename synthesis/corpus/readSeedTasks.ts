import { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import type { Config } from '../../schemas/config/config.ts';
import { taskSourceConfigSchema } from '../../schemas/config/tasks.ts';
import type { Task } from '../../schemas/task.ts';
import { createTaskSource } from '../../stages/tasks/createTaskSource.ts';
import type { FoundDocument } from '../stages/createDocumentSource.ts';
import { addressOf } from './readAddresses.ts';

/** How much of a wrong row is shown. */
const MAX_SHOWN_CHARS = 200;

/** A document by its text, or by the address where it is read. */
export type SeedDocument = Omit<FoundDocument, 'text'> & { readonly text?: string | null };

const someOf = <T extends z.ZodType>(schema: T) =>
  z.union([schema.transform((one) => [one]), z.array(schema)]);
const passageSchema = z.union([
  z.string().transform((text) => ({ text })),
  z
    .object({ title: z.string(), text: z.string() })
    .transform(({ title, text }) => ({ title, text: `# ${title}\n\n${text}` })),
]);
/** Columns of a task's row beside question and answers. */
const restsOnSchema = z.object({
  url: someOf(z.string()).default([]),
  evidence: someOf(passageSchema).default([]),
});

/**
 * The documents that the tasks of a file rest on, each once with the questions that it answers: their `evidence`, or what is
 * at their `url`. A task with neither gives one without text.
 *
 * @throws UserError for rows that are not tasks with an answer, and for `url` or `evidence` of another kind
 */
export async function readSeedTasks(
  file: string,
  { config, profiles }: Pick<LoadedConfig, 'config' | 'profiles'>,
  signal: AbortSignal,
): Promise<SeedDocument[]> {
  const { profile } = config.synthesize!;
  const source = taskSourceConfigSchema.parse({ file, profile, domain: 'qa' });
  const tasks = createTaskSource({ sources: [{ ...source, path: file }], onBadTask: 'fail', profiles });
  const documents = new Map<string, SeedDocument>();
  for await (const { outcome } of tasks.run({ signal })) {
    for (const task of outcome.kind === 'emit' ? outcome.records : []) {
      const { question, answers } = task;
      for (const document of await documentsOf(task, `${file}: row ${task.source.row}`, config)) {
        const key = document.text ?? document.address;
        const { asked = [], ...known } = documents.get(key) ?? document;
        documents.set(key, { ...known, asked: [...asked, { question, answers }] });
      }
    }
  }
  return [...documents.values()];
}

async function documentsOf(
  { id, extra = {} }: Task,
  place: string,
  { tools }: Config,
): Promise<SeedDocument[]> {
  const rests = restsOnSchema.safeParse(extra);
  if (!rests.success) {
    const got = JSON.stringify({ url: extra.url, evidence: extra.evidence }).slice(0, MAX_SHOWN_CHARS);
    throw new UserError(
      `${place}: expected url as an address, and evidence as a text, {title, text} or a list of them; got ${got}`,
    );
  }
  const { url, evidence } = rests.data;
  if (url.length > 0 && !tools.crawl_page)
    throw new UserError(`${place}: expected tools.crawl_page in the configuration, which reads its url`);
  const found: SeedDocument[] = evidence.map((passage, nth) => ({
    ...passage,
    address: `task:${id}#${nth + 1}`,
  }));
  for (const one of url) found.push({ address: await addressOf(one, `${place}: url`) });
  const none = { address: `task:${id}`, text: null, why: 'the task names neither url nor evidence' };
  return found.length > 0 ? found : [none];
}
