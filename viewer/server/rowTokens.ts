import { once } from '../../base/once.ts';
import { UserError } from '../../base/userError.ts';
import { loadChatTemplate } from '../../output/chatTemplates/chatTemplate.ts';
import type { DatasetRow } from '../../output/dataset/datasetFormat.ts';
import { formatTable } from '../../output/dataset/formatTable.ts';
import { renderRow } from '../../output/dataset/renderRow.ts';
import { tokenWeights } from '../../output/rows/segmentWeights.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import { type DatasetFormatName, datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import type { Origin, Trajectory } from '../../schemas/trajectory.ts';

const originLetters: Readonly<Record<Origin, string>> = { prompt: 'p', model: 'm', environment: 'e' };

export type TokensAnswer = Awaited<ReturnType<RowTokens['tokens']>>;

/** Tokenises rows with the dataset's tokenizer and chat template, loaded on first use. */
export class RowTokens {
  readonly #dataset: DatasetConfig;
  readonly #load;

  constructor(dataset: DatasetConfig) {
    this.#dataset = dataset;
    this.#load = once(async () => {
      const tokenizer = await loadTokenizer(dataset.tokenizer);
      return { tokenizer, template: await loadChatTemplate(dataset, tokenizer) };
    });
  }

  /** Renders a row as the export does. Throws `RecordFailure` if there is no exact mask. */
  async row(trajectory: Trajectory, profile: Profile): Promise<DatasetRow> {
    const { mask, boundary_tokens: boundaryTokens, cutoff_len } = this.#dataset;
    const settings = { ...(await this.#load()), mask, boundaryTokens, cutoffLen: cutoff_len };
    return renderRow(trajectory, profile, settings);
  }

  async tokens(trajectory: Trajectory, profile: Profile) {
    const row = await this.row(trajectory, profile);
    const { tokenizer } = await this.#load();
    const texts: string[] = [];
    for (const id of row.inputIds) texts.push(await tokenizer.decode(Uint32Array.of(id)));
    return {
      tokenizer: tokenizer.name,
      ids: [...row.inputIds],
      texts,
      /** Loss weight of each token; weight 0 means label -100. */
      weights: [...tokenWeights(row)],
      /** Author of each token: `p` prompt, `m` model, `e` environment. */
      origins: originsOf(row, texts),
    };
  }

  async inFormat(
    trajectory: Trajectory,
    profile: Profile,
    name: string,
    training: TrainingConfig,
  ): Promise<string> {
    if (!datasetFormatNames.includes(name as DatasetFormatName)) throw new UserError(`no format "${name}"`);
    const format = formatTable[name as DatasetFormatName];
    if (format.records !== 'trajectory')
      throw new UserError(`${name} holds pairs of trajectories, not single ones`);
    const row = await this.row(trajectory, profile);
    const { tokenizer } = await this.#load();
    const layout = format.layoutOf({
      name: 'view',
      dataset: this.#dataset,
      training,
      tokenizer: tokenizer.name,
    });
    return layout.parts.map((part) => rowText(part.rowOf(row as never))).join('\n\n');
  }

  async close(): Promise<void> {
    const loaded = await this.#load().catch(() => undefined);
    loaded?.tokenizer.close();
  }
}

/** JSON of a text format, columns of others. */
function rowText(row: unknown): string {
  if (typeof row === 'string') return JSON.stringify(JSON.parse(row), null, 2);
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? [...(value as never as number[])] : value;
  return JSON.stringify(row, plain, 1);
}

/** Author of each token, by the piece in which it begins. */
function originsOf({ pieces, inputIds }: DatasetRow, texts: readonly string[]): string {
  const letters: string[] = [];
  let [piece, left] = [0, pieces[0]?.text.length ?? 0];
  for (let at = 0; at < inputIds.length; at++) {
    while (left <= 0 && piece < pieces.length - 1) left += pieces[++piece]!.text.length;
    letters.push(originLetters[pieces[piece]!.origin]);
    // A token with part of a character counts with the character's last part.
    left -= texts[at] === '\ufffd' ? 0 : texts[at]!.length;
  }
  return letters.join('');
}
