import { basename } from 'node:path';
import { Counts } from '../../base/counts.ts';
import { isJsonObject, type JsonValue } from '../../base/json.ts';
import type { FileRow } from '../../base/rows/fileRow.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { UserError } from '../../base/userError.ts';
import {
  type CorpusOutcome,
  dropRecord,
  emitRecord,
  type Identified,
  type SourceStage,
} from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { messageKeys } from './chat/messageLayouts.ts';
import { malformed, RowRefusal } from './rowRefusal.ts';

/** Remarks of the stage: the end of those on fields that nothing reads, and the one on rows without a gold answer. */
export const notRead = '_not_read';
export const noGold = 'no_gold_answer';

/** A record made of a row, and what had to be done or left out: codes that reports count. */
export interface ImportedRecord<Out> {
  readonly record: Out;
  readonly remarks: readonly string[];
  /** Fields of the row that nothing reads, such as `messages[].weight`. */
  readonly unread: readonly string[];
  readonly hasGold: boolean;
}

/** Makes a record of one row. Throws `RowRefusal` for a row that it can't. */
export type ImportRow<Out> = (
  value: JsonValue,
  place: RowPlace,
) => ImportedRecord<Out> | Promise<ImportedRecord<Out>>;

/** Where a row stands. */
export interface RowPlace {
  /** File name without its folder, so that records are equal on every machine. */
  readonly file: string;
  /** From 1. */
  readonly row: number;
}

/** The files to import, and what their rows become. */
export interface ImportSourceOptions<Out extends Identified> {
  /** Which stage's records the rows become. */
  readonly stage: Pick<SourceStage<Out>, 'version' | 'output'> & { readonly name: StageName };
  readonly files: readonly string[];
  /** Called once there is work. */
  readonly openRows: () => Promise<ImportRow<Out>>;
  /** Drops rows that ask what an earlier one asks, unless they are another rollout; equal keys for equal questions. */
  readonly dropDuplicates: boolean;
  /** Takes rows that are mere messages, one after another, for one conversation. */
  readonly joinsMessages: boolean;
  readonly questionKey: (record: Out) => string;
  /** Keeps the whole row in the ledger when it is refused. */
  readonly keepRefused: boolean;
}

/**
 * The rows of files as the records of a stage, one row at a time. Every row ends as a record or in the ledger with the
 * reason, the path of the field and where it stood.
 */
export function createImportSource<Out extends Identified>(
  options: ImportSourceOptions<Out>,
): SourceStage<Out> {
  const { stage, files } = options;
  const remarks = new Counts();
  return {
    ...stage,
    remarks,
    async *run() {
      remarks.clear();
      const reader = new RowImporter(options, await options.openRows(), remarks);
      let index = 0;
      for (const path of files) {
        for await (const row of rowsToImport(path, options))
          yield await reader.outcome(row, index++, basename(path));
      }
      if (index === 0) throw new UserError(`${files.join(', ')}: no rows; expected one record a row`);
    },
  };
}

/** The rows of a file, as they are imported. */
export async function* rowsToImport(
  path: string,
  { joinsMessages }: Pick<ImportSourceOptions<never>, 'joinsMessages'>,
): AsyncGenerator<FileRow> {
  const rows = (await openRowFile(path)).rows();
  yield* joinsMessages ? joinMessages(rows) : rows;
}

/** Joins messages that stand as rows of their own into one row: a file that is a bare list of them is one conversation. */
async function* joinMessages(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow> {
  let conversation: (FileRow & { readonly value: JsonValue[] }) | undefined;
  for await (const row of rows) {
    if ('value' in row && isMessage(row.value)) {
      if (conversation) conversation.value.push(row.value);
      else conversation = { ...row, value: [row.value] };
      continue;
    }
    if (conversation) yield conversation;
    conversation = undefined;
    yield row;
  }
  if (conversation) yield conversation;
}

function isMessage(value: JsonValue): boolean {
  if (!isJsonObject(value) || messageKeys.some((key) => value[key] !== undefined)) return false;
  return typeof (value.role ?? value.from) === 'string';
}

class RowImporter<Out extends Identified> {
  readonly #remarks: Counts;
  readonly #options: ImportSourceOptions<Out>;
  readonly #importRow: ImportRow<Out>;
  /** Key of a question -> where it stood first. */
  readonly #asked = new Map<string, string>();

  constructor(options: ImportSourceOptions<Out>, importRow: ImportRow<Out>, remarks: Counts) {
    this.#remarks = remarks;
    this.#options = options;
    this.#importRow = importRow;
  }

  async outcome(row: FileRow, index: number, file: string): Promise<CorpusOutcome<Out>> {
    const place = { file, row: row.row };
    const name = `${file}:${row.row}`;
    try {
      if ('problem' in row) throw malformed('not_json', '', row.problem);
      const { record, remarks, unread, hasGold } = await this.#importRow(row.value, place);
      const { id, task_id = id, rollout, repairs } = record;
      const of = { ...(rollout !== undefined && { rollout }), ...(repairs !== undefined && { repairs }) };
      const ids = { index, recordId: id, taskId: task_id, ...of };
      const first = this.#options.dropDuplicates ? this.#firstAsked(record, name) : name;
      if (first !== name) return { ...ids, outcome: dropRecord('duplicate_question', { ...place, first }) };
      for (const code of remarks) this.#remarks.add(code);
      for (const field of unread) this.#remarks.add(`${field}${notRead}`);
      if (!hasGold) this.#remarks.add(noGold);
      return { ...ids, outcome: emitRecord(record) };
    } catch (error) {
      if (!(error instanceof RowRefusal)) throw error;
      const { reason, code, path, message, evidence } = error;
      const kept = this.#options.keepRefused && 'value' in row ? { source: row.value } : {};
      const outcome = dropRecord(reason, { code, path, message, ...place, ...evidence, ...kept });
      return { index, recordId: name, taskId: name, outcome };
    }
  }

  /** Where the same was asked first, this row included. */
  #firstAsked(record: Out, name: string): string {
    const key = `${record.rollout ?? 0} ${this.#options.questionKey(record)}`;
    const first = this.#asked.get(key) ?? name;
    this.#asked.set(key, first);
    return first;
  }
}
