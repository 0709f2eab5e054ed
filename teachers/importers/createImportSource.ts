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

/** Remarks of the stage: the suffix for unread fields, and the one for rows without a gold answer. */
export const notRead = '_not_read';
export const noGold = 'no_gold_answer';

/** A record from a row, with the changes and omissions as report codes. */
export interface ImportedRecord<Out> {
  readonly record: Out;
  readonly remarks: readonly string[];
  /** Unread fields of the row, such as `messages[].weight`. */
  readonly unread: readonly string[];
  readonly hasGold: boolean;
}

/** Converts one row to a record. Throws `RowRefusal` if it cannot. */
export type ImportRow<Out> = (
  value: JsonValue,
  place: RowPlace,
) => ImportedRecord<Out> | Promise<ImportedRecord<Out>>;

/** Position of a row. */
export interface RowPlace {
  /** File name without its folder, so that records are equal on every machine. */
  readonly file: string;
  /** From 1. */
  readonly row: number;
}

/** Files to import and the conversion of their rows. */
export interface ImportSourceOptions<Out extends Identified> {
  /** Stage of the resulting records. */
  readonly stage: Pick<SourceStage<Out>, 'version' | 'output'> & { readonly name: StageName };
  readonly files: readonly string[];
  /** Called once there is work. */
  readonly openRows: () => Promise<ImportRow<Out>>;
  /** Drops rows whose question key equals an earlier one's, except further rollouts. */
  readonly dropDuplicates: boolean;
  /** Joins consecutive rows that are single messages into one conversation. */
  readonly joinsMessages: boolean;
  readonly questionKey: (record: Out) => string;
  /** Keeps a refused row in the ledger. */
  readonly keepRefused: boolean;
}

/**
 * Rows of files as records of a stage, one at a time. Every row ends as a record or in the ledger with the reason,
 * field path and position.
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

/** Rows of a file for import. */
export async function* rowsToImport(
  path: string,
  { joinsMessages }: Pick<ImportSourceOptions<never>, 'joinsMessages'>,
): AsyncGenerator<FileRow> {
  const rows = (await openRowFile(path)).rows();
  yield* joinsMessages ? joinMessages(rows) : rows;
}

/** Joins single-message rows into one row: a file that is a bare list of messages is one conversation. */
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
  /** Question key -> position of its first occurrence. */
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

  /** Position of the first equal question, this row included. */
  #firstAsked(record: Out, name: string): string {
    const key = `${record.rollout ?? 0} ${this.#options.questionKey(record)}`;
    const first = this.#asked.get(key) ?? name;
    this.#asked.set(key, first);
    return first;
  }
}
