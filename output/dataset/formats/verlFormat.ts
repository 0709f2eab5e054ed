import { Field, Float32, Int8, Int32, makeData, Struct, Utf8 } from 'apache-arrow';
import { answerText } from '../../../schemas/rows/rowToWrite.ts';
import type { VerlSftRow } from '../../../schemas/trainers/verl.ts';
import { tokenWeights, usesLossWeights } from '../../rows/segmentWeights.ts';
import { type DatasetFormat, type DatasetRow, weightedCapabilities } from '../datasetFormat.ts';
import { type Column, listData, listOf, textData, tokenColumn } from '../files/columns.ts';
import { parquetPart, programFile } from './formatParts.ts';
import { verlDatasetClassName, verlTrainScript } from './verlFiles.ts';

/** `verl/`: a parquet with messages for readers, ids and mask for the trainer, the class that hands these to it, a script. */
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
    const mask = usesLossWeights(settings.dataset.mask) ? weights : masks;
    const columns = [messages, ids, mask];
    const stems = { train: 'sft', validation: 'validation' };
    return {
      parts: [parquetPart(verlRow, { columns, tokensOf: ({ inputIds }) => inputIds.length }, 'verl/', stems)],
      guide: (written) => ({
        files: [
          // Its mask is unshifted: 1 trains the prediction of the token itself. verl rolls mask and ids by one over
          // whole micro-batches, so a 1 on a row's first token would train the end of the row before: such a row
          // stops the training before it starts, and so does one that verl would have to cut.
          programFile(
            'verl',
            'coa_dataset.py',
            `the class \`${verlDatasetClassName}\` for \`data.custom_cls\``,
          ),
          {
            path: 'verl/train.sh',
            text: verlTrainScript(settings, written),
            what: 'starts the trainer on the GPUs of one machine',
          },
        ],
        start: 'bash train.sh model.path=MODEL',
        beware: [
          `Without \`${verlDatasetClassName}\` verl masks \`messages\` by role and trains the observations. The mask is unshifted: 1 trains the prediction of the token itself.`,
          'The class stops at a row that is longer than `data.max_length`, and at one whose first token is trained.',
          mask === weights &&
            'The mask holds loss weights: the loss is sum(weight x loss) / sum(weight). They were run on the FSDP engine alone; the Megatron engine makes a mask of 0 and 1 of them for multi-token prediction.',
          '`data.pad_mode=no_padding` is a must; verl 0.5 and older want the mask shifted and padded.',
          'verl takes no step on a dataset with fewer rows than `data.train_batch_size`; `train.sh` lowers it.',
          'Resuming from a checkpoint at the end of an epoch loses an epoch in verl 0.9.1: compare the number of steps.',
        ],
      }),
    };
  },
};

/** A row of the parquet before it is columns. */
type VerlRow = Pick<DatasetRow, 'inputIds' | 'lossMask' | 'weights'> & Pick<VerlSftRow, 'messages'>;

function verlRow({ inputIds, lossMask, weights, rendered }: DatasetRow): VerlRow {
  const messages: VerlSftRow['messages'] = [
    { role: 'system', content: rendered.system },
    { role: 'user', content: rendered.user },
    { role: 'assistant', content: answerText(rendered) },
  ];
  return { messages, inputIds, lossMask, ...(weights && { weights }) };
}

const message = new Struct<{ role: Utf8; content: Utf8 }>([
  Field.new({ name: 'role', type: new Utf8() }),
  Field.new({ name: 'content', type: new Utf8() }),
]);

const messages: Column<VerlRow> = {
  field: Field.new({ name: 'messages', type: listOf(message) }),
  dataOf(rows) {
    const turns = rows.flatMap((row) => row.messages);
    const children = [textData(turns.map(({ role }) => role)), textData(turns.map(({ content }) => content))];
    const child = makeData({ type: message, length: turns.length, nullCount: 0, children });
    return listData(
      rows.map((row) => row.messages),
      child,
    );
  },
  bytesOf: (row) => row.messages.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), 0),
};
const ids = tokenColumn<VerlRow>('input_ids', new Int32(), ({ inputIds }) => inputIds);
const masks = tokenColumn<VerlRow>('loss_mask', new Int8(), ({ lossMask }) => lossMask);
/** Weights in place of masks: verl's loss is sum(weight x loss) / sum(weight). */
const weights = tokenColumn<VerlRow>('loss_mask', new Float32(), tokenWeights);
