import { UserError } from '../../base/userError.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import { defaultFormatNames } from '../../schemas/config/dataset.ts';
import { type DatasetFormatName, datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import type { DatasetFormat } from './datasetFormat.ts';
import { afmFormat } from './formats/afmFormat.ts';
import { axolotlFormat } from './formats/axolotlFormat.ts';
import { dpoFormat } from './formats/dpoFormat.ts';
import { huggingFaceDpoFormat } from './formats/huggingFaceDpoFormat.ts';
import { huggingFaceFormat } from './formats/huggingFaceFormat.ts';
import { llamaFactoryFormat } from './formats/llamaFactoryFormat.ts';
import { msSwiftFormat } from './formats/msSwiftFormat.ts';
import { tokenizedFormat } from './formats/tokenizedFormat.ts';
import { verlFormat } from './formats/verlFormat.ts';

/** Formats of trajectories; capabilities register their own. */
const formats: Partial<Record<DatasetFormatName, DatasetFormat>> = {
  afm: afmFormat,
  llama_factory: llamaFactoryFormat,
  tokenized: tokenizedFormat,
  verl: verlFormat,
  hugging_face: huggingFaceFormat,
  axolotl: axolotlFormat,
  ms_swift: msSwiftFormat,
  dpo: dpoFormat,
  hugging_face_dpo: huggingFaceDpoFormat,
};

export const formatTable = formats as Readonly<Record<DatasetFormatName, DatasetFormat>>;

/** Adds formats of a capability. Call before reading any configuration. */
export function registerFormats(added: Partial<Record<DatasetFormatName, DatasetFormat>>): void {
  Object.assign(formats, added);
}

type RowOptions = Pick<DatasetConfig, 'mask' | 'too_long' | 'boundary_tokens' | 'chat_template' | 'mix'>;

/**
 * Formats of a dataset. Default: the default formats that can hold the configured rows.
 *
 * @throws UserError for a named format that can't, naming the option
 */
export function chooseFormats(options: RowOptions & Pick<DatasetConfig, 'formats'>): DatasetFormat[] {
  const named: readonly DatasetFormatName[] = options.formats ?? defaultFormatNames;
  const chosen = datasetFormatNames.flatMap((name) => {
    if (!named.includes(name)) return [];
    const problem = formatProblem(name, options);
    if (problem && options.formats) throw new UserError(`dataset.formats: ${name} ${problem}`);
    return problem ? [] : [formatTable[name]];
  });
  if (options.mix && !chosen.some(({ records }) => records === 'trajectory'))
    throw new UserError(
      `dataset.mix: no format for fine-tuning would hold its rows; add one to dataset.formats, such as llama_factory, tokenized, hugging_face, axolotl or verl`,
    );
  return chosen;
}

/** Restores formats that were added by name; drops and logs those that can no longer hold the rows. */
export function withAddedFormats(
  dataset: DatasetConfig,
  added: readonly DatasetFormatName[],
  log: (line: string) => void,
): DatasetConfig {
  const chosen = chooseFormats(dataset).map(({ name }) => name as DatasetFormatName);
  const more = added.filter((name) => {
    const problem = formatProblem(name, dataset);
    if (problem) log(`${name}, which export --to added, is left out: it ${problem}`);
    return !problem && !chosen.includes(name);
  });
  const formats = datasetFormatNames.filter((name) => chosen.includes(name) || more.includes(name));
  return more.length === 0 ? dataset : { ...dataset, formats };
}

/** Reason for which a format can't hold the configured rows, with a remedy; undefined if it can. */
function formatProblem(name: DatasetFormatName, options: RowOptions): string | undefined {
  const { records, capabilities: format } = formatTable[name];
  const { mask, too_long, boundary_tokens, chat_template, mix } = options;
  if (mix && records === 'trajectory' && !format.mixedRows)
    return `can't hold the rows of dataset.mix, which may have several turns; leave the format out, or export it from a run without dataset.mix`;
  const heavy = mix?.find(({ weight }) => weight !== 1);
  if (heavy && records === 'trajectory' && !format.lossWeights)
    return `takes a token into the loss or doesn't, and has no place for dataset.mix[].weight: ${heavy.weight}; leave the format out, or make the weight 1`;
  const option = leavesOut(mask);
  if (option && !format.untrainedModelText)
    return `can't leave text of the model out of the loss, as dataset.mask.${option} asks; leave the format out, or remove that option`;
  const weighted = Object.entries(mask.tag_weights).find(([, weight]) => weight !== 0 && weight !== 1);
  if (weighted && !format.lossWeights)
    return `takes a token into the loss or doesn't, and has no place for dataset.mask.tag_weights.${weighted[0]}: ${weighted[1]}; leave the format out, or make the weight 0 or 1`;
  if (too_long === 'cut' && !format.cutRows)
    return `ends every row as the model ends its turn, so it can't hold a cut one; leave the format out, or set dataset.too_long: drop`;
  if (boundary_tokens === 'apart' && !format.segmentsApart)
    return `is encoded by its trainer, which does not encode segments apart as dataset.boundary_tokens: apart does; leave the format out, or set dataset.boundary_tokens: fail`;
  if (format.chatTemplates !== 'any' && !format.chatTemplates.includes(chat_template))
    return `is for the chat markup of ${format.chatTemplates.join(', ')} alone, and dataset.chat_template is ${chat_template}; leave the format out, or change the template`;
  return undefined;
}

/** Option of the mask that excludes model text from the loss, if any. */
function leavesOut({ thinking, tag_weights, last_steps, marked }: RowOptions['mask']): string | undefined {
  if (!thinking) return 'thinking: false';
  const [tag] = Object.entries(tag_weights).find(([, weight]) => weight === 0) ?? [];
  if (tag !== undefined) return `tag_weights.${tag}: 0`;
  if (last_steps !== null) return `last_steps: ${last_steps}`;
  return marked === 'skip' ? 'marked: skip' : undefined;
}
