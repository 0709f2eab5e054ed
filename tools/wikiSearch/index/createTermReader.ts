import { DatabaseSync } from 'node:sqlite';
import { TOKENIZE } from './indexLayout.ts';

/** Where a term stands in a text. */
export interface TermPlace {
  /** Number of the text, in the order given. */
  readonly text: number;
  readonly term: string;
  readonly column: 'title' | 'text';
  /** In terms from the start of the column. */
  readonly offset: number;
}

/** Reads texts as the index does. */
export interface TermReader {
  /** The terms of each word: as a rule one, its stem; none for a sign that the index leaves out. */
  termsOf(words: readonly string[]): string[][];
  /** Every place of some terms in some texts. */
  placesOf(
    terms: readonly string[],
    texts: readonly { readonly title: string; readonly text: string }[],
  ): TermPlace[];
  close(): void;
}

/**
 * Opens a reader with the very tokenizer of the index. SQLite has no function for it, so texts are indexed in memory,
 * looked at as FTS5's vocabulary, and taken back.
 */
export function createTermReader(): TermReader {
  const database = new DatabaseSync(':memory:');
  database.exec(`
    CREATE VIRTUAL TABLE read USING fts5(title, text, content = '', ${TOKENIZE});
    CREATE VIRTUAL TABLE places USING fts5vocab(read, instance);
  `);
  const insert = database.prepare('INSERT INTO read (rowid, title, text) VALUES (?, ?, ?)');
  const all = database.prepare('SELECT doc, term FROM places ORDER BY doc, offset');
  const some = database.prepare(
    'SELECT doc - 1 AS text, term, col AS column, offset FROM places WHERE term IN (SELECT value FROM json_each(?))',
  );
  const whileIndexed = <T>(
    texts: readonly { readonly title: string; readonly text: string }[],
    look: () => T,
  ) => {
    database.exec('BEGIN');
    try {
      for (const [at, { title, text }] of texts.entries()) insert.run(at + 1, title, text);
      return look();
    } finally {
      database.exec('ROLLBACK');
    }
  };
  return {
    termsOf: (words) => {
      const terms: string[][] = words.map(() => []);
      const texts = words.map((text) => ({ title: '', text }));
      const rows = whileIndexed(texts, () => all.all()) as unknown as { doc: number; term: string }[];
      for (const { doc, term } of rows) terms[doc - 1]!.push(term);
      return terms;
    },
    placesOf: (terms, texts) =>
      whileIndexed(texts, () => some.all(JSON.stringify(terms))) as unknown as TermPlace[],
    close: () => database.close(),
  };
}
