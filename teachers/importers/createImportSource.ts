import { basename } from 'node:path';
import type { JsonValue } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import {
  type CorpusOutcome,
  dropRecord,
  emitRecord,
  type Identified,
  type SourceStage,
} from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { RowRefusal } from './rowRefusal.ts';
import { type ReadRow, readRows } from './rows/readRows.ts';

/** A record made of a row, and what had to be done or left out: codes that reports count. */
export interface ImportedRecord<Out> {
  readonly record: Out;
  readonly remarks: readonly string[];
}

/** Makes a record of one row. Throws `RowRefusal` for a row that it can't. */
export type ImportRow<Out> = (value: JsonValue, place: RowPlace) => ImportedRecord<Out>;

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
  readonly stage: Pick<SourceStage<Out>, 'output'> & { readonly name: StageName };
  readonly files: readonly string[];
  readonly importRow: ImportRow<Out>;
  /** Told at the end on how many converted rows there was each remark. */
  readonly onRemarks: (rowsByCode: ReadonlyMap<string, number>) => void;
  /** Drops rows that ask what an earlier one asks; equal keys for equal questions. */
  readonly dropDuplicates: boolean;
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
  const { stage, files, onRemarks } = options;
  return {
    name: stage.name,
    version: 1,
    output: stage.output,
    async *run() {
      const reader = new RowImporter(options);
      let index = 0;
      for (const path of files) {
        for await (const row of readRows(path)) yield reader.outcome(row, index++, basename(path));
      }
      if (index === 0) {
        throw new UserError(`${files.join(', ')}: no rows; expected JSON or JSONL with one record a row`);
      }
      onRemarks(reader.remarks);
    },
  };
}

class RowImporter<Out extends Identified> {
  readonly remarks = new Map<string, number>();
  readonly #options: ImportSourceOptions<Out>;
  /** Key of a question -> where it stood first. */
  readonly #asked = new Map<string, string>();

  constructor(options: ImportSourceOptions<Out>) {
    this.#options = options;
  }

  outcome(row: ReadRow, index: number, file: string): CorpusOutcome<Out> {
    const place = { file, row: row.number };
    const name = `${file}:${row.number}`;
    try {
      if (!row.ok) throw new RowRefusal('malformed_row', 'not_json', '', row.error);
      const { record, remarks } = this.#options.importRow(row.value, place);
      const ids = { index, recordId: record.id, taskId: record.task_id ?? record.id };
      const first = this.#firstAsked(record, name);
      if (first !== undefined)
        return { ...ids, outcome: dropRecord('duplicate_question', { ...place, first }) };
      for (const code of remarks) this.remarks.set(code, (this.remarks.get(code) ?? 0) + 1);
      return { ...ids, outcome: emitRecord(record) };
    } catch (error) {
      if (!(error instanceof RowRefusal)) throw error;
      return { index, recordId: name, taskId: name, outcome: this.#refused(error, row, place) };
    }
  }

  /** Where the same was asked first; undefined for a question that is new, or where repeating is allowed. */
  #firstAsked(record: Out, name: string): string | undefined {
    if (!this.#options.dropDuplicates) return undefined;
    const key = this.#options.questionKey(record);
    const first = this.#asked.get(key);
    if (first === undefined) this.#asked.set(key, name);
    return first;
  }

  #refused({ reason, code, path, message, evidence }: RowRefusal, row: ReadRow, place: RowPlace) {
    const kept = this.#options.keepRefused && row.ok ? { source: row.value } : {};
    return dropRecord(reason, { code, path, message, ...place, ...evidence, ...kept });
  }
}
