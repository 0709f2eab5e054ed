import { Field, Int8, Int32, Int64, RecordBatchStreamWriter, Schema } from 'apache-arrow';
import {
  ignoredLabel,
  type SavedDatasetInfo,
  type SavedDatasetState,
} from '../../../schemas/trainers/huggingFace.ts';
import type { TokenisedRow } from '../../rows/tokeniseRow.ts';
import { int8Lists, int32Lists, int64Lists } from '../arrow/intListColumn.ts';
import { listOf } from '../arrow/listColumns.ts';
import { ipcStream, RowBatches } from '../arrow/rowBatches.ts';
import type { DatasetFormat, DatasetRow } from '../datasetFormat.ts';
import type { HashedFile } from '../hashedFile.ts';
import type { PartialFolder } from '../partialFolder.ts';
import { RowCounts } from '../rowCounts.ts';

const dataFile = 'data-00000-of-00001.arrow';
const inputIds = listOf(new Int32());
const attentionMask = listOf(new Int8());
const labels = listOf(new Int64());
const schema = new Schema([
  Field.new({ name: 'input_ids', type: inputIds }),
  Field.new({ name: 'attention_mask', type: attentionMask }),
  Field.new({ name: 'labels', type: labels }),
]);

/** An Arrow IPC stream ends with a continuation mark and a length of zero. */
const endMarkBytes = 8;

/**
 * `tokenized/`: a folder as `datasets.save_to_disk` leaves it. Its data file is an Arrow IPC stream (the file form
 * can't be opened), so a stream per batch is cut to its batch: schema once, batches, end mark once.
 */
export async function createTokenizedFormat(folder: PartialFolder): Promise<DatasetFormat> {
  return new TokenizedFormat(folder, await folder.openFile(`tokenized/${dataFile}`));
}

class TokenizedFormat implements DatasetFormat {
  readonly #folder: PartialFolder;
  readonly #file: HashedFile;
  readonly #counts = new RowCounts();
  readonly #batches = new RowBatches<TokenisedRow>();
  readonly #schemaOnly: Uint8Array = schemaStream();
  #begun = false;

  constructor(folder: PartialFolder, file: HashedFile) {
    this.#folder = folder;
    this.#file = file;
  }

  async add(row: DatasetRow): Promise<void> {
    this.#counts.add(row);
    const batch = this.#batches.add(row, row.inputIds.length);
    if (batch) await this.#write(batch);
  }

  async finish(): Promise<void> {
    const rest = this.#batches.take();
    if (rest.length > 0 || this.#counts.rows === 0) await this.#write(rest);
    await this.#file.write(this.#schemaOnly.subarray(-endMarkBytes));
    const { sha256 } = await this.#folder.closeFile(`tokenized/${dataFile}`, this.#counts);
    await this.#folder.writeFile('tokenized/dataset_info.json', `${JSON.stringify(info)}\n`);
    await this.#folder.writeFile('tokenized/state.json', `${JSON.stringify(state(sha256.slice(0, 16)))}\n`);
  }

  async abort(): Promise<void> {}

  async #write(rows: readonly TokenisedRow[]): Promise<void> {
    await this.#begin();
    const stream = ipcStream(schema, rows.length, [
      int32Lists(
        inputIds,
        rows.map((row) => row.inputIds),
      ),
      int8Lists(
        attentionMask,
        rows.map((row) => new Int8Array(row.inputIds.length).fill(1)),
      ),
      int64Lists(labels, rows.map(labelsOf)),
    ]);
    await this.#file.write(stream.subarray(this.#schemaOnly.length - endMarkBytes, -endMarkBytes));
  }

  async #begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    await this.#file.write(this.#schemaOnly.subarray(0, -endMarkBytes));
  }
}

/** The ids where they are trained, the ignored label elsewhere. */
function labelsOf(row: TokenisedRow): BigInt64Array {
  return BigInt64Array.from(row.inputIds, (id, at) => BigInt(row.lossMask[at] === 1 ? id : ignoredLabel));
}

/** A stream without batches. */
function schemaStream(): Uint8Array {
  return new RecordBatchStreamWriter().reset(undefined, schema).finish().toUint8Array(true);
}

const sequenceOf = <D extends string>(dtype: D) =>
  ({ feature: { dtype, _type: 'Value' }, _type: 'Sequence' }) as const;

const info: SavedDatasetInfo = {
  features: {
    input_ids: sequenceOf('int32'),
    attention_mask: sequenceOf('int8'),
    labels: sequenceOf('int64'),
  },
};

/** The fingerprint keys the caches of `datasets`: other data must have another. */
function state(fingerprint: string): SavedDatasetState {
  return {
    _data_files: [{ filename: dataFile }],
    _fingerprint: fingerprint,
    _format_columns: null,
    _format_kwargs: {},
    _format_type: null,
    _output_all_columns: false,
    _split: 'train',
  };
}
