import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { UserError } from '../../base/userError.ts';
import {
  type LinePlace,
  type RowChange,
  type RowFacts,
  type RowKey,
  shownTexts,
  textNames,
} from './fields.ts';
import { RowColumns } from './rowColumns.ts';

const MAX_SHOWN = 300;

interface StoredRow {
  readonly row: number;
  /** `TASK`, `TASK#1` for its second rollout, `TASK~1` for an equal task. */
  readonly key: string;
  readonly recordId: string | null;
  readonly question: string | null;
  readonly answer: string | null;
  readonly gold: string | null;
}

interface StoredPlace extends Pick<LinePlace, 'stage' | 'offset' | 'length'> {
  readonly is_ledger: number;
}

function keyText({ taskId, rollout }: RowKey): string {
  return rollout === 0 ? taskId : `${taskId}#${rollout}`;
}

/**
 * Filterable and searchable data of all records, and their file positions: columns in memory, texts and positions in a
 * temporary database. Never holds the records themselves.
 */
export class RecordIndex {
  #database = openDatabase();
  #sql = prepareStatements(this.#database);
  columns = new RowColumns();
  revision = 0;

  clear(): void {
    this.close();
    this.#database = openDatabase();
    this.#sql = prepareStatements(this.#database);
    this.columns = new RowColumns();
    this.revision++;
  }

  apply(change: RowChange): void {
    const { facts, place } = change;
    const row = this.#changedRow(change);
    if (row === undefined) return;
    this.columns.update(row, facts);
    if (place) this.#sql.addPlace.run(row, place.stage, Number(place.isLedger), place.offset, place.length);
    if (facts.texts) this.#sql.addTexts.run(row + 1, ...textNames.map((name) => facts.texts![name] ?? ''));
    if (facts.shown) this.#sql.setShown.run(...shownOf(facts), row);
    if (facts.recordId !== undefined) this.#sql.changeId.run(facts.recordId, row, facts.recordId);
    this.revision++;
  }

  rowsAt(rows: Iterable<number>): StoredRow[] {
    return Array.from(rows, (row) => this.#sql.row.get(row) as unknown as StoredRow);
  }

  rowOfKey(key: string): number | undefined {
    return this.#rowNamed(key) ?? this.search(`ids:"${key.replaceAll('"', '')}"`)[0];
  }

  #rowNamed(key: string): number | undefined {
    return (this.#sql.byKey.get(key) as { row: number } | undefined)?.row;
  }

  placesOf(row: number): LinePlace[] {
    return this.#sql.places.all(row).map((place) => {
      const { stage, is_ledger, offset, length } = place as unknown as StoredPlace;
      return { stage, isLedger: is_ledger === 1, offset, length };
    });
  }

  siblingsOf(row: number): number[] {
    return this.#rowsOfTask(this.rowsAt([row])[0]!.key.replace(/[#~]\d+$/, ''));
  }

  #changedRow({ key, facts, place, equal, ofRecord, input }: RowChange): number | undefined {
    if (ofRecord !== undefined) return this.#rowOfRecord(key, ofRecord);
    if (equal === 'retried') return this.#failedRow(key, place!.stage);
    return (
      (input === undefined ? undefined : this.#rowOfRecord(key, input)) ?? this.#rowOf(key, facts, equal)
    );
  }

  #rowOfRecord(key: RowKey, recordId: string): number | undefined {
    const text = keyText(key);
    const found = this.#sql.ofRecord.get(text, `${text}~`, `${text}\u007f`, recordId);
    return (found as { row: number } | undefined)?.row;
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

  /** Rows that a search finds, ascending. Throws `UserError` for too many words. */
  search(text: string): Uint32Array {
    const expression = searchExpression(text);
    return expression === '' ? new Uint32Array(0) : rowsIn(this.#sql.search.get(expression)).sort();
  }

  orderedBy(name: (typeof shownTexts)[number]): Uint32Array {
    return rowsIn(this.#sql.ordered[name].get());
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #rowOf(key: RowKey, facts: RowFacts, equal: RowChange['equal']): number {
    const text = keyText(key);
    const known = this.#rowNamed(text);
    const first = () => (key.rollout === 0 ? undefined : this.#rowNamed(key.taskId));
    if (known === undefined) return this.#addRow(text, first(), facts);
    if (equal === undefined) return known;
    // Equal tasks share an id but have a row each; later ones are dropped first.
    const open = this.#equalRows(text).filter((row) => this.columns.wordsOf(row, 'state')[0] === 'pending');
    if (equal === 'ends') return open.at(-1) ?? known;
    return this.#addRow(`${text}~${this.#equalRows(text).length}`, known, facts);
  }

  #equalRows(text: string): number[] {
    const rows: number[] = [];
    for (let nth = 0; ; nth++) {
      const row = this.#rowNamed(nth === 0 ? text : `${text}~${nth}`);
      if (row === undefined) return rows;
      rows.push(row);
    }
  }

  #addRow(key: string, first: number | undefined, facts: RowFacts): number {
    const row = this.columns.add(first, Number(/#(\d+)$/.exec(key)?.[1] ?? 0) + 1);
    const [question, answer, gold] = shownOf(facts);
    const task = first === undefined ? undefined : this.rowsAt([first])[0];
    this.#sql.addRow.run(row, key, question ?? task?.question ?? null, answer, gold ?? task?.gold ?? null);
    return row;
  }
}

/** Texts for lists; only the first line of an answer, which may be a program. */
function shownOf({
  shown,
}: RowFacts): readonly [question: string | null, answer: string | null, gold: string | null] {
  const start = (text: string | undefined) => text?.trim().slice(0, MAX_SHOWN) ?? null;
  const firstLine = (text: string | undefined) => start(text)?.split('\n', 1)[0] ?? null;
  return [start(shown?.question), firstLine(shown?.answer), firstLine(shown?.gold)];
}

/** Parses joined row numbers: one long text crosses from SQLite faster than a million numbers. */
function rowsIn(found: unknown): Uint32Array {
  const { found: text } = found as { found: string | null };
  return text === null ? new Uint32Array(0) : Uint32Array.from(text.split(','), Number);
}

const schema = `
CREATE TABLE rows (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, record_id TEXT, question TEXT, answer TEXT, gold TEXT);
CREATE TABLE places (row INTEGER, stage TEXT, is_ledger INTEGER, offset INTEGER, length INTEGER,
  PRIMARY KEY (row, stage, is_ledger, offset)) WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5(${textNames.join(', ')},
  content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
`;

/**
 * Opens a private temporary database; data beyond its memory goes to a temporary file. Uses a single transaction, since
 * there are no other readers.
 */
export function openDatabase(): DatabaseSync {
  const database = new DatabaseSync('');
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
  database.exec(schema);
  database.exec('BEGIN');
  return database;
}

function prepareStatements(database: DatabaseSync) {
  const sql = (text: string): StatementSync => database.prepare(text);
  return {
    row: sql('SELECT row, key, record_id AS recordId, question, answer, gold FROM rows WHERE row = ?'),
    byKey: sql('SELECT row FROM rows WHERE key = ?'),
    // Keys of equal rows after the first have a tilde and a number.
    ofRecord: sql('SELECT row FROM rows WHERE (key = ? OR (key > ? AND key < ?)) AND record_id = ?'),
    addRow: sql('INSERT INTO rows (row, key, question, answer, gold) VALUES (?, ?, ?, ?, ?)'),
    setShown: sql(
      'UPDATE rows SET question = coalesce(question, ?), answer = coalesce(answer, ?), gold = coalesce(gold, ?) WHERE row = ?',
    ),
    changeId: sql('UPDATE rows SET record_id = ? WHERE row = ? AND record_id IS NOT ?'),
    ordered: Object.fromEntries(
      shownTexts.map((name) => [
        name,
        sql(
          `SELECT group_concat(row) AS found FROM (SELECT row FROM rows WHERE ${name} != '' ORDER BY ${name} COLLATE NOCASE, row)`,
        ),
      ]),
    ) as Record<(typeof shownTexts)[number], StatementSync>,
    siblings: sql(
      'SELECT row FROM rows WHERE key = ? OR (key > ? AND key < ?) OR (key > ? AND key < ?) ORDER BY row',
    ),
    addPlace: sql('INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?)'),
    places: sql('SELECT stage, is_ledger, offset, length FROM places WHERE row = ? ORDER BY offset'),
    addTexts: sql(`INSERT OR REPLACE INTO texts (rowid, ${textNames.join(', ')}) VALUES (?, ?, ?, ?, ?, ?)`),
    search: sql('SELECT group_concat(rowid - 1) AS found FROM texts WHERE texts MATCH ?'),
  };
}

/** Maximum search terms; each costs as much as a search of its own. */
const MAX_TERMS = 32;

const term = new RegExp(`(-?)(?:(${textNames.join('|')}):)?(?:"([^"]*)"?|(\\S+))`, 'g');

/**
 * Converts a typed search to SQLite's full-text syntax: all words must occur in a record, as prefixes; `"some words"`
 * as a phrase; `-word` excluded; `model:word` in that column. Other characters have no meaning. Repeated terms count
 * once. Empty if there is no word.
 *
 * @throws UserError for too many terms
 */
export function searchExpression(text: string): string {
  const wanted = new Set<string>();
  const unwanted = new Set<string>();
  for (const [, minus, part, phrase, word] of text.matchAll(term)) {
    const words = (phrase ?? word ?? '').replaceAll('\0', '');
    // SQLite ignores terms without a letter or digit.
    if (!/[\p{L}\p{N}]/u.test(words)) continue;
    const quoted = `${part ? `${part} : ` : ''}"${words.replaceAll('"', '""')}"${phrase === undefined ? '*' : ''}`;
    (minus === '-' ? unwanted : wanted).add(quoted);
    if (wanted.size + unwanted.size > MAX_TERMS)
      throw new UserError(`q: a search has at most ${MAX_TERMS} words and phrases; leave some out`);
  }
  if (wanted.size === 0) return '';
  return [`(${[...wanted].join(' AND ')})`, ...unwanted].join(' NOT ');
}
