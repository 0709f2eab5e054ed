import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type LinePlace, type RowChange, type RowFacts, type RowKey, textNames } from './fields.ts';
import { CHUNK_ROWS, RowColumns } from './rowColumns.ts';
import { searchExpression } from './searchExpression.ts';

/** Raised with every change of what is stored: an older index is built again. */
const VERSION = 2;
/** Characters of a question that a list shows. */
const MAX_SHOWN = 300;

const schema = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rows (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, record_id TEXT, question TEXT);
CREATE TABLE IF NOT EXISTS places (row INTEGER, stage TEXT, is_ledger INTEGER, offset INTEGER, length INTEGER,
  PRIMARY KEY (row, stage, is_ledger, offset)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS columns (name TEXT, chunk INTEGER, bytes BLOB, PRIMARY KEY (name, chunk)) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(${textNames.join(', ')},
  content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
`;

/** A row as lists show it. */
export interface StoredRow {
  readonly row: number;
  /** `TASK`, `TASK#1` for its second rollout, `TASK~1` for an equal task. */
  readonly key: string;
  readonly recordId: string | null;
  readonly question: string | null;
}

interface StoredPlace extends Pick<LinePlace, 'stage' | 'offset' | 'length'> {
  readonly is_ledger: number;
}

/** The key of a row, as addresses name it. */
export function keyText({ taskId, rollout }: RowKey): string {
  return rollout === 0 ? taskId : `${taskId}#${rollout}`;
}

/**
 * What of all records is filtered, searched and found by place: columns in memory, texts and places in a SQLite file that
 * can be removed at any time. It never holds the records themselves.
 */
export class RecordIndex {
  readonly #path: string;
  #database: DatabaseSync;
  #sql: Statements;
  columns: RowColumns;
  /** Raised with every change, so that others know what they worked out before. */
  revision = 0;

  private constructor(path: string) {
    this.#path = path;
    this.#database = openDatabase(path);
    this.#sql = prepare(this.#database);
    this.columns = this.#load();
  }

  /**
   * Opens an index, or makes an empty one.
   *
   * @param path of its file; one of another version, that is damaged, or that another process has is not used
   */
  static open(path: string): RecordIndex {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      return new RecordIndex(path);
    } catch (error) {
      if (isInUse(error)) return new RecordIndex('');
      removeDatabase(path);
      return new RecordIndex(existsSync(dirname(path)) ? path : '');
    }
  }

  /** Something that was stored with {@link store}. */
  recall(name: string): unknown {
    const found = this.#sql.fact.get(name) as { value: string } | undefined;
    return found && JSON.parse(found.value);
  }

  /** Forgets everything. */
  clear(): void {
    this.#database.close();
    removeDatabase(this.#path);
    this.#database = openDatabase(this.#path);
    this.#sql = prepare(this.#database);
    this.columns = new RowColumns();
    this.revision++;
  }

  /** Opens a transaction; {@link store} ends it. */
  begin(): void {
    if (!this.#database.isTransaction) this.#database.exec('BEGIN');
  }

  /** Takes one line. */
  apply(change: RowChange): void {
    const { facts, place } = change;
    const row = this.#changedRow(change);
    if (row === undefined) return;
    this.columns.update(row, facts);
    if (place) this.#sql.addPlace.run(row, place.stage, Number(place.isLedger), place.offset, place.length);
    if (facts.texts) this.#addTexts(row, facts);
    else if (facts.recordId !== undefined) this.#sql.changeId.run(facts.recordId, row, facts.recordId);
    this.revision++;
  }

  /** Writes what has changed, and how far the feed has been read. */
  store(facts: Readonly<Record<string, unknown>>): void {
    this.begin();
    for (const chunk of this.columns.changed) {
      const from = chunk * CHUNK_ROWS;
      for (const [name, column] of this.columns.all) {
        const part = column.values.slice(from, Math.min(from + CHUNK_ROWS, this.columns.size));
        this.#sql.saveChunk.run(name, chunk, new Uint8Array(part.buffer));
      }
    }
    this.columns.changed.clear();
    const words = Object.fromEntries([...this.columns.words].map(([name, { words }]) => [name, words]));
    const all = { ...facts, version: VERSION, size: this.columns.size, words };
    for (const [name, value] of Object.entries(all)) this.#sql.saveFact.run(name, JSON.stringify(value));
    this.#database.exec('COMMIT');
  }

  /** Rows by their numbers, in the order that is asked for. */
  rowsAt(rows: Iterable<number>): StoredRow[] {
    return Array.from(rows, (row) => this.#sql.row.get(row) as unknown as StoredRow);
  }

  /** The row of a key, of a trajectory's id, or of a given id; undefined where there is none. */
  rowOfKey(key: string): number | undefined {
    const found = this.#sql.byKey.get(key) as { row: number } | undefined;
    if (found) return found.row;
    return this.search(`ids:"${key.replaceAll('"', '')}"`)[0];
  }

  /** Where the lines of a row stand, in the order in which a task goes through the stages. */
  placesOf(row: number): LinePlace[] {
    return this.#sql.places.all(row).map((place) => {
      const { stage, is_ledger, offset, length } = place as unknown as StoredPlace;
      return { stage, isLedger: is_ledger === 1, offset, length };
    });
  }

  /** Rows of one task, by number. */
  siblingsOf(row: number): number[] {
    return this.#rowsOfTask(this.rowsAt([row])[0]!.key.replace(/[#~]\d+$/, ''));
  }

  #changedRow({ key, facts, place, equal, ofRecord }: RowChange): number | undefined {
    if (ofRecord !== undefined)
      return (this.#sql.ofRecord.get(keyText(key), ofRecord) as { row: number } | undefined)?.row;
    return equal === 'retried' ? this.#failedRow(key, place!.stage) : this.#rowOf(key, facts, equal);
  }

  #failedRow({ taskId }: RowKey, stage: string): number | undefined {
    const has = (row: number, name: 'state' | 'stage', word: string) =>
      this.columns.wordsOf(row, name)[0] === word;
    return this.#rowsOfTask(taskId).find((row) => has(row, 'state', 'failed') && has(row, 'stage', stage));
  }

  #rowsOfTask(taskId: string): number[] {
    return this.#sql.siblings
      .all(taskId, `${taskId}#`, `${taskId}$`, `${taskId}~`, `${taskId}\u007f`)
      .map(({ row }) => row as number);
  }

  /** Numbers of the rows in which all words of a text stand, ascending. */
  search(text: string): Uint32Array {
    const expression = searchExpression(text);
    if (expression === undefined) return new Uint32Array(0);
    // One long text crosses from SQLite sooner than a million numbers.
    const { found } = this.#sql.search.get(expression) as { found: string | null };
    if (found === null) return new Uint32Array(0);
    return numbersIn(found).sort();
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #rowOf(key: RowKey, facts: RowFacts, equal: RowChange['equal']): number {
    const text = keyText(key);
    const known = this.#sql.byKey.get(text) as { row: number } | undefined;
    if (known === undefined) return this.#addRow(text, this.#firstOf(key), facts);
    if (equal === undefined) return known.row;
    // Equal tasks have one id: each is a row, and those that go are the later ones.
    const open = this.#equalRows(text).filter((row) => this.columns.wordsOf(row, 'state')[0] === 'pending');
    if (equal === 'ends') return open.at(-1) ?? known.row;
    return this.#addRow(`${text}~${this.#equalRows(text).length}`, known.row, facts);
  }

  #equalRows(text: string): number[] {
    const rows: number[] = [];
    for (let nth = 0; ; nth++) {
      const found = this.#sql.byKey.get(nth === 0 ? text : `${text}~${nth}`) as { row: number } | undefined;
      if (!found) return rows;
      rows.push(found.row);
    }
  }

  #firstOf({ taskId, rollout }: RowKey): number | undefined {
    if (rollout === 0) return undefined;
    return (this.#sql.byKey.get(taskId) as { row: number } | undefined)?.row;
  }

  #addRow(key: string, first: number | undefined, { texts }: RowFacts): number {
    const row = this.columns.add(first);
    const question = texts?.question ?? (first === undefined ? null : this.rowsAt([first])[0]!.question);
    this.#sql.addRow.run(row, key, question?.slice(0, MAX_SHOWN) ?? null);
    return row;
  }

  #addTexts(row: number, { texts, recordId }: RowFacts): void {
    const values = textNames.map((name) => texts![name] ?? '');
    this.#sql.addTexts.run(row + 1, ...values);
    if (recordId !== undefined)
      this.#sql.setId.run(recordId, texts!.question?.slice(0, MAX_SHOWN) ?? null, row);
  }

  #load(): RowColumns {
    if (this.recall('version') !== VERSION) {
      if (this.recall('version') !== undefined) throw new Error('an index of another version');
      return new RowColumns();
    }
    const columns = new RowColumns(this.recall('words') as never);
    columns.size = this.recall('size') as number;
    columns.reserve(columns.size);
    const byName = new Map(columns.all);
    for (const stored of this.#sql.chunks.iterate()) {
      const { name, chunk, bytes } = stored as { name: string; chunk: number; bytes: Uint8Array };
      const { values } = byName.get(name)!;
      const own = new Uint8Array(values.buffer, chunk * CHUNK_ROWS * values.BYTES_PER_ELEMENT);
      own.set(bytes);
    }
    return columns;
  }
}

/** Whole numbers between commas: taking a million texts apart would cost what they weigh. */
function numbersIn(text: string): Uint32Array {
  const numbers = new Uint32Array(Math.ceil((text.length + 1) / 2));
  let count = 0;
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0) number = number * 10 + digit;
    else {
      numbers[count++] = number;
      number = 0;
    }
  }
  numbers[count++] = number;
  return numbers.subarray(0, count);
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  const sql = (text: string): StatementSync => database.prepare(text);
  return {
    fact: sql('SELECT value FROM facts WHERE name = ?'),
    saveFact: sql('INSERT OR REPLACE INTO facts VALUES (?, ?)'),
    saveChunk: sql('INSERT OR REPLACE INTO columns VALUES (?, ?, ?)'),
    chunks: sql('SELECT name, chunk, bytes FROM columns'),
    row: sql('SELECT row, key, record_id AS recordId, question FROM rows WHERE row = ?'),
    byKey: sql('SELECT row FROM rows WHERE key = ?'),
    ofRecord: sql('SELECT row FROM rows WHERE key = ? AND record_id = ?'),
    addRow: sql('INSERT INTO rows (row, key, question) VALUES (?, ?, ?)'),
    setId: sql('UPDATE rows SET record_id = ?, question = coalesce(?, question) WHERE row = ?'),
    changeId: sql('UPDATE rows SET record_id = ? WHERE row = ? AND record_id IS NOT ?'),
    siblings: sql(
      'SELECT row FROM rows WHERE key = ? OR (key > ? AND key < ?) OR (key > ? AND key < ?) ORDER BY row',
    ),
    addPlace: sql('INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?)'),
    places: sql('SELECT stage, is_ledger, offset, length FROM places WHERE row = ? ORDER BY offset'),
    addTexts: sql(`INSERT OR REPLACE INTO texts (rowid, ${textNames.join(', ')}) VALUES (?, ?, ?, ?, ?, ?)`),
    search: sql('SELECT group_concat(rowid - 1) AS found FROM texts WHERE texts MATCH ?'),
  };
}

/** Nothing is lost with an index: it is not waited for until it is on the disk. */
function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;',
  );
  database.exec(schema);
  return database;
}

function isInUse(error: unknown): boolean {
  return /locked|busy/i.test((error as Error).message);
}

function removeDatabase(path: string): void {
  if (path === '') return;
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${ending}`, { force: true });
}
