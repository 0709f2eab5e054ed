import { byName, Counts } from '../../base/counts.ts';
import type { RlTaskChoice } from '../../contract/datasetWriter.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { askedTurns } from '../../schemas/coa/play/turnTexts.ts';
import { type Profile, toolTags } from '../../schemas/coa/profile.ts';
import type { Split } from '../../schemas/manifest.ts';
import { rlFigures } from '../../schemas/training/rlPresets.ts';
import type { RlTaskCounts, RlTaskLine } from '../../schemas/training/taskLine.ts';
import type { ChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { type FormatWriter, rowsOf } from './formatWriter.ts';
import type { PartialFolder } from './partialFolder.ts';
import type { DatasetSettings } from './prepareDataset.ts';
import { renderPromptOf } from './renderRow.ts';

interface TaskRowSettings extends DatasetSettings {
  readonly folder: PartialFolder;
  readonly template: ChatTemplate;
  readonly profileOf: (name: string) => Profile | undefined;
}

type Decided = Pick<RlTaskLine, 'reason' | 'prompt_tokens' | 'detail'>;

export class TaskRows {
  readonly #settings: TaskRowSettings;
  readonly #writers: readonly FormatWriter<'task'>[];
  readonly #lines: RlTaskLine[] = [];
  readonly #dropped = new Counts();
  readonly #splits: Record<Split, number> = { train: 0, validation: 0 };

  constructor(settings: TaskRowSettings, writers: readonly FormatWriter<'task'>[]) {
    this.#settings = settings;
    this.#writers = writers;
  }

  get counted(): RlTaskCounts {
    const { train, validation } = this.#splits;
    return {
      tasks: this.#lines.length,
      kept: train + validation,
      dropped: byName(this.#dropped),
      splits: { ...this.#splits },
    };
  }

  async add(choice: RlTaskChoice, split: Split): Promise<void> {
    const { task, rate, reason, detail } = choice;
    const decided: Decided =
      reason === null
        ? await this.#write(choice, split)
        : { reason, prompt_tokens: null, ...(detail !== undefined && { detail }) };
    if (decided.reason === null) this.#splits[split]++;
    else this.#dropped.add(decided.reason);
    const verdict = decided.reason === null ? 'kept' : 'dropped';
    this.#lines.push({ task_id: task.id, verdict, rate, ...decided });
  }

  async #write({ task, rate }: RlTaskChoice, split: Split): Promise<Decided> {
    const { profileOf, dataset, training, template, tokenizer } = this.#settings;
    const profile = profileOf(task.profile);
    if (!profile) throw new Error(`task ${task.id} has the unknown profile ${task.profile}`);
    const { turns } = askedTurns(profile, task.question, dataset.system_prompt);
    const { mask, boundary_tokens: boundaryTokens } = dataset;
    try {
      const settings = { template, tokenizer, mask, boundaryTokens };
      const { rendered, inputIds } = await renderPromptOf({ ...turns, segments: [] }, profile, settings);
      const prompt_tokens = inputIds.length;
      if (prompt_tokens > rlFigures(training).max_prompt_tokens)
        return { reason: 'prompt_too_long', prompt_tokens };
      const { system, user } = rendered;
      const source = { task, rate, system, user, tools: toolTags(profile), promptTokens: prompt_tokens };
      for (const writer of this.#writers)
        await writer.add(rowsOf(writer.planned, source), [{ inputIds, trainedTokens: 0 }], split);
      return { reason: null, prompt_tokens };
    } catch (error) {
      if (!(error instanceof RecordFailure)) throw error;
      return { reason: 'unusable', prompt_tokens: null, detail: error.message };
    }
  }

  /** Writes the ledger into the folder of each format. */
  async finish(): Promise<void> {
    if (this.#lines.length === 0) return;
    for (const { planned } of this.#writers)
      await this.#settings.folder.writeLines(`${planned.format.name}/ledger.jsonl`, this.#lines);
  }
}
