import { type Data, Field, Float32, Int8, Int32, makeData, Schema, Struct, Utf8 } from 'apache-arrow';
import type { VerlSftRow } from '../../../schemas/trainers/verl.ts';
import { verlReader } from '../../readers/verlReader.ts';
import { tokenWeights, usesLossWeights } from '../../rows/segmentWeights.ts';
import {
  type DatasetFormat,
  type DatasetRow,
  type FormatLayout,
  type FormatPart,
  type FormatSettings,
  type WrittenFormat,
  weightedCapabilities,
} from '../datasetFormat.ts';
import { parquetRowFile, type RowColumns } from '../files/columnFiles.ts';
import {
  float32Lists,
  int8Lists,
  int32Lists,
  listColumn,
  listOf,
  stringColumn,
} from '../files/listColumns.ts';
import { renderFormatReadme, rowsFileList } from '../formatReadme.ts';
import { outputText } from './afmFormat.ts';
import { shardName } from './splitFiles.ts';
import { verlDatasetClass, verlDatasetClassName, verlTrainScript } from './verlFiles.ts';

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
  layoutOf: verlLayout,
};

/** A row of the parquet before it is columns. */
type VerlRow = Pick<DatasetRow, 'inputIds' | 'lossMask'> & {
  readonly messages: VerlSftRow['messages'];
  readonly weights: Float32Array | undefined;
};

const message = new Struct<{ role: Utf8; content: Utf8 }>([
  Field.new({ name: 'role', type: new Utf8() }),
  Field.new({ name: 'content', type: new Utf8() }),
]);
const messages = listOf(message);
const inputIds = listOf(new Int32());
const lossMask = listOf(new Int8());
const lossWeights = listOf(new Float32());

const bytesPerId = 4;

/** The column `loss_mask`. */
interface MaskColumn {
  readonly type: typeof lossMask | typeof lossWeights;
  readonly bytesPerToken: number;
  dataOf(rows: readonly VerlRow[]): Data;
}

const masks: MaskColumn = {
  type: lossMask,
  bytesPerToken: 1,
  dataOf: (rows) =>
    int8Lists(
      lossMask,
      rows.map((row) => row.lossMask),
    ),
};

/** Weights in place of masks: verl's loss is sum(weight x loss) / sum(weight). */
const weights: MaskColumn = {
  type: lossWeights,
  bytesPerToken: 4,
  dataOf: (rows) => float32Lists(lossWeights, rows.map(tokenWeights)),
};

function columnsWith(mask: MaskColumn): RowColumns<VerlRow> {
  return {
    schema: new Schema([
      Field.new({ name: 'messages', type: messages }),
      Field.new({ name: 'input_ids', type: inputIds }),
      Field.new({ name: 'loss_mask', type: mask.type }),
    ]),
    columnsOf: (rows) => [
      messagesColumn(rows.map((row) => row.messages)),
      int32Lists(
        inputIds,
        rows.map((row) => row.inputIds),
      ),
      mask.dataOf(rows),
    ],
    tokensOf: (row) => row.inputIds.length,
    bytesOf: (row) =>
      row.inputIds.length * (bytesPerId + mask.bytesPerToken) +
      row.messages.reduce((bytes, { content }) => bytes + Buffer.byteLength(content), 0),
  };
}

function partWith(columns: RowColumns<VerlRow>): FormatPart<VerlRow> {
  return {
    rowOf: (row) => ({
      messages: messagesOf(row),
      inputIds: row.inputIds,
      lossMask: row.lossMask,
      weights: row.weights,
    }),
    begin: (file) => parquetRowFile(file, columns),
    pathOf: (place) => `verl/${shardName(place.split === 'train' ? 'sft' : 'validation', 'parquet', place)}`,
  };
}

function verlLayout(settings: FormatSettings): FormatLayout {
  return {
    parts: [partWith(columnsWith(usesLossWeights(settings.dataset.mask) ? weights : masks))],
    companions: (written) => [
      { path: 'verl/coa_dataset.py', text: verlDatasetClass },
      { path: 'verl/train.sh', text: verlTrainScript(settings, written) },
      { path: 'verl/README.md', text: verlReadme(settings, written) },
    ],
  };
}

function messagesOf({ rendered }: DatasetRow): VerlSftRow['messages'] {
  return [
    { role: 'system', content: rendered.system },
    { role: 'user', content: rendered.user },
    { role: 'assistant', content: outputText(rendered) },
  ];
}

function messagesColumn(rows: readonly VerlSftRow['messages'][]) {
  const all = rows.flat();
  const children = [
    stringColumn(all.map((turn) => turn.role)),
    stringColumn(all.map((turn) => turn.content)),
  ];
  return listColumn(messages, rows, makeData({ type: message, length: all.length, nullCount: 0, children }));
}

/** `verl/README.md`. */
function verlReadme({ dataset, tokenizer }: FormatSettings, { files }: WrittenFormat): string {
  return renderFormatReadme({
    title: "Rows for verl's SFT trainer",
    files: {
      ...rowsFileList(files, '`messages`, `input_ids`, `loss_mask`'),
      'coa_dataset.py': `the class \`${verlDatasetClassName}\` for \`data.custom_cls\``,
      'train.sh': 'starts the trainer on the GPUs of one machine',
    },
    mask: `\`${verlDatasetClassName}\` hands \`input_ids\` and \`loss_mask\` to verl as they are. verl alone masks \`messages\` by role and would train the observations; the column is for readers. The mask is unshifted: 1 trains the prediction of the token itself.${usesLossWeights(dataset.mask) ? ' Here it holds loss weights: the loss is sum(weight x loss) / sum(weight).' : ''}`,
    verified: `verl ${verlReader.version}, unpatched but for a plug-in that lets it run on a CPU: its loading by \`data.custom_cls\` and its collator hand on our ids and masks, and the first step's loss is that of an independent forward pass within 1e-4, which a mask shifted by one or with one observation unmasked is not; a mask of weights gives the weighted mean (\`test/trainers/verl.test.ts\`). Versions 0.6 to 0.8 were read, not run.`,
    start: `\`\`\`bash
bash train.sh model.path=MODEL
\`\`\``,
    beware: [
      `The ids are those of ${tokenizer}: train a model with this very tokenizer.`,
      `No row is longer than \`data.max_length=${dataset.cutoff_len}\`; the class stops at a longer one instead of cutting it, and at a row whose first token is trained, which would train the end of the row before.`,
      ...(usesLossWeights(dataset.mask)
        ? [
            'Loss weights were run on the FSDP engine alone; the Megatron engine makes a mask of 0 and 1 of them for multi-token prediction.',
          ]
        : []),
      '`data.pad_mode=no_padding` is a must; verl 0.5 and older want the mask shifted and padded.',
      'verl takes no step on a dataset with fewer rows than `data.train_batch_size`; `train.sh` lowers it.',
      'Resuming from a checkpoint at the end of an epoch loses an epoch in verl 0.9.1: compare the number of steps.',
    ],
  });
}
