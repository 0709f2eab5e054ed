import { Field, Float32, Int8, Int32, Struct, Utf8 } from 'apache-arrow';
import { answerText } from '../../../schemas/rows/rowToWrite.ts';
import { tokenWeights, usesLossWeights } from '../../rows/segmentWeights.ts';
import {
  type DatasetFormat,
  type DatasetRow,
  type FormatSettings,
  type SftRow,
  weightedCapabilities,
} from '../datasetFormat.ts';
import { listOf, tokenColumn, valueColumn } from '../files/columns.ts';
import { parquetPart, programFile } from './formatParts.ts';

/** `verl/`: parquet with readable messages, ids and mask, and the dataset class that passes these to the trainer. */
export const verlFormat: DatasetFormat<'trajectory'> = {
  name: 'verl',
  records: 'trajectory',
  columns: ['messages', 'input_ids', 'loss_mask'],
  readers: ['verl'],
  card: {
    opened: '`load_dataset("parquet", data_files=FOLDER + "/verl/*.parquet")`',
    trainer: 'verl, with `data.custom_cls`',
    mask: '`loss_mask`',
  },
  capabilities: weightedCapabilities,
  layoutOf(settings) {
    const mask = usesLossWeights(settings.dataset) ? weights : masks;
    const columns = [messages, ids, mask];
    const stems = { train: 'sft', validation: 'validation' };
    return {
      parts: [parquetPart(verlRow, { columns, tokensOf: ({ inputIds }) => inputIds.length }, 'verl/', stems)],
      guide: () => ({
        files: [
          // Its mask is unshifted: 1 trains the prediction of the token itself. verl rolls mask and ids by one over
          // whole micro-batches, so a 1 on a row's first token would train the end of the row before: such a row
          // stops the training before it starts, and so does one that verl would have to cut.
          programFile('verl', 'coa_dataset.py', 'the class `CoaDataset` for `data.custom_cls`'),
        ],
        start: startOf(settings),
        beware: [
          'Without `CoaDataset` verl masks `messages` by role and trains the observations. The mask is unshifted: 1 trains the prediction of the token itself.',
          'The class stops at a row that is longer than `data.max_length`, and at one whose first token is trained.',
          mask === weights &&
            'The mask holds loss weights: the loss is sum(weight x loss) / sum(weight). They were run on the FSDP engine alone; the Megatron engine makes a mask of 0 and 1 of them for multi-token prediction.',
          '`data.pad_mode=no_padding` is a must; verl 0.5 and older want the mask shifted and padded.',
          'verl takes no step on a dataset with fewer rows than `data.train_batch_size`.',
          'Resuming from a checkpoint at the end of an epoch loses an epoch in verl 0.9.1: compare the number of steps.',
        ],
      }),
    };
  },
};

function startOf({ dataset }: FormatSettings): string {
  return `\`coa-distill train RUN --trainer verl\` renders the whole job. By hand, besides the model and its settings:

\`\`\`bash
torchrun --standalone --nproc-per-node=GPUS -m verl.trainer.sft_trainer data.train_files=sft.parquet \\
  data.custom_cls.path=coa_dataset.py data.custom_cls.name=CoaDataset data.max_length=${dataset.cutoff_len} \\
  data.pad_mode=no_padding data.truncation=error model.use_remove_padding=true model.path=MODEL
\`\`\``;
}

/** Row of the parquet before conversion to columns. */
type VerlRow = Pick<DatasetRow, 'inputIds' | 'lossMask' | 'weights'> & {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
};

function verlRow(row: SftRow): VerlRow {
  const { inputIds, lossMask, weights } = row;
  const messages =
    'record' in row
      ? row.record.messages.map(({ role, content }) => ({ role, content }))
      : messagesOf(row.rendered);
  return { messages, inputIds, lossMask, ...(weights && { weights }) };
}

function messagesOf(rendered: DatasetRow['rendered']): VerlRow['messages'] {
  return [
    { role: 'system', content: rendered.system },
    { role: 'user', content: rendered.user },
    { role: 'assistant', content: answerText(rendered) },
  ];
}

const text = { type: new Utf8() };
const message = new Struct([Field.new({ name: 'role', ...text }), Field.new({ name: 'content', ...text })]);
const messages = valueColumn<VerlRow>(
  Field.new({ name: 'messages', type: listOf(message) }),
  (row) => row.messages,
);
const ids = tokenColumn<VerlRow>('input_ids', new Int32(), ({ inputIds }) => inputIds);
const masks = tokenColumn<VerlRow>('loss_mask', new Int8(), ({ lossMask }) => lossMask);
/** Weights replace masks, since verl's loss is sum(weight x loss) / sum(weight). */
const weights = tokenColumn<VerlRow>('loss_mask', new Float32(), tokenWeights);
