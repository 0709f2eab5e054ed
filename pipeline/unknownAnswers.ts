import { stat } from 'node:fs/promises';
import { holdsValue } from '../schemas/answers/holdsValue.ts';
import { partsOf } from '../schemas/answers/judgeText.ts';
import { readText } from '../schemas/answers/readText.ts';
import { evidenceTags, exemptKind } from '../schemas/filters/grounding.ts';
import type { Task } from '../schemas/task.ts';
import { readPassages } from '../tools/wikiSearch/buildPassageIndex.ts';
import type { LoadedConfig } from './config/loadConfig.ts';

/** Maximum tasks looked up. */
const MAX_TASKS = 200;
/** Maximum corpus size in bytes for the lookup. */
const MAX_BYTES = 8e6;
/** Passages searched as one text. */
const PASSAGES_AT_ONCE = 200;

export interface UnknownAnswers {
  readonly corpus: string;
  /** Number of tasks looked up: the first of the run. */
  readonly tasks: number;
  readonly unknown: number;
}

/** Collects the tasks that only the corpus of `tools.wiki_search` can answer. */
export class CorpusTasks {
  readonly #loaded: LoadedConfig;
  readonly #tasks: Task[] = [];

  constructor(loaded: LoadedConfig) {
    this.#loaded = loaded;
  }

  add(task: Task): void {
    const profile = this.#loaded.profiles.profileOf(task.profile);
    if (!profile || this.#tasks.length === MAX_TASKS || task.answers.length === 0) return;
    const tags = evidenceTags(profile);
    const isOfCorpus = tags.length > 0 && tags.every((tag) => tag === 'wiki_search');
    if (isOfCorpus && exemptKind(task.question, task.answers, profile) === undefined) this.#tasks.push(task);
  }

  /**
   * Looks up the collected tasks; any part of a multi-part answer counts as found. Undefined without such tasks or
   * without a corpus of at most 8 MB.
   */
  async unknown(): Promise<UnknownAnswers | undefined> {
    const corpus = this.#loaded.config.tools.wiki_search?.corpus;
    if (corpus === undefined || this.#tasks.length === 0) return undefined;
    const { size } = await stat(corpus).catch(() => ({ size: Number.POSITIVE_INFINITY }));
    if (size > MAX_BYTES) return undefined;
    let unknown: readonly Task[] = this.#tasks;
    let passages: string[] = [];
    const look = () => {
      const text = readText(passages.join('\n\n'));
      unknown = unknown.filter(
        ({ answers }) => !answers.flatMap((answer) => partsOf(answer)).some((part) => holdsValue(text, part)),
      );
      passages = [];
    };
    for await (const { contents } of readPassages(corpus)) {
      passages.push(contents);
      if (passages.length === PASSAGES_AT_ONCE) look();
    }
    look();
    return { corpus, tasks: this.#tasks.length, unknown: unknown.length };
  }
}
