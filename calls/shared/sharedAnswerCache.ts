import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { createBatches } from '../../base/batches.ts';
import { safeParseJson, storedLevels } from '../../base/json.ts';
import type { AnswerCache, AnswerKey } from '../../contract/answerCache.ts';
import type { CachedAnswer } from '../../schemas/run/cachedAnswer.ts';
import { safeParseAnswer } from '../cache/answerRow.ts';
import type { SharedDatabase } from './sharedDatabase.ts';

/** Requests of one statement. */
const AT_ONCE = 64;
/** Pause between two looks at a request that another worker asks for. */
const LOOK_MS = { least: 50, most: 250 };

const LOOKUP = `
  SELECT nth::int, body FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given(request, provider, nth)
  JOIN answer USING (request, provider) WHERE run = $1
`;
const KEEP = 'SELECT kept_request, kept_provider FROM keep($1, $2, $3, $4)';

/** The answers of a run that many machines work on, kept compressed. */
export class SharedAnswerCache implements AnswerCache {
  readonly #database: SharedDatabase;
  readonly #run: string;
  readonly #worker: string;
  /** Requests that only this process may ask for. */
  readonly #claims = new Set<string>();
  readonly #find: (key: AnswerKey) => Promise<CachedAnswer | undefined>;
  readonly #claim: (key: AnswerKey) => Promise<string>;
  readonly #keep: (answer: CachedAnswer) => Promise<boolean>;

  constructor(database: SharedDatabase, { run, worker }: { readonly run: string; readonly worker: string }) {
    this.#database = database;
    this.#run = run;
    this.#worker = worker;
    this.#find = createBatches((keys) => this.#findAll(keys), AT_ONCE);
    this.#claim = createBatches((keys) => this.#claimAll(keys), AT_ONCE);
    this.#keep = createBatches((answers) => this.#keepAll(answers), AT_ONCE);
  }

  lookup({ request, provider }: AnswerKey): Promise<CachedAnswer | undefined> {
    return this.#find({ request, provider });
  }

  async lookupRequest(request: string): Promise<CachedAnswer | undefined> {
    const sql = 'SELECT body FROM answer WHERE run = $1 AND request = $2 LIMIT 2';
    const [row, other] = await this.#database.query<{ body: Buffer }>(sql, [this.#run, request]);
    return row && other === undefined ? unpackAnswer(row.body) : undefined;
  }

  async store(answer: CachedAnswer): Promise<CachedAnswer> {
    const isNew = await this.#keep(answer);
    return isNew ? answer : ((await this.lookup(answer)) ?? answer);
  }

  /** As in {@link AnswerCache.alone}: one worker at a time, as long as it keeps its lease. */
  async alone<T>(key: AnswerKey, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      const state = await this.#claim(key);
      if (state === 'answered') return work();
      if (state === 'mine') return this.#claimed(key, work);
      const pauseMs = LOOK_MS.least + Math.random() * (LOOK_MS.most - LOOK_MS.least);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** An answer that is kept takes the claim away; where there was none, the next one may ask. */
  async #claimed<T>(key: AnswerKey, work: () => Promise<T>): Promise<T> {
    const name = nameOf(key);
    this.#claims.add(name);
    try {
      return await work();
    } finally {
      if (this.#claims.delete(name)) {
        const sql = 'DELETE FROM asking WHERE run = $1 AND request = $2 AND provider = $3 AND worker = $4';
        await this.#database.query(sql, [this.#run, key.request, key.provider, this.#worker]);
      }
    }
  }

  async #findAll(keys: readonly AnswerKey[]): Promise<(CachedAnswer | undefined)[]> {
    const rows = await this.#database.query<{ nth: number; body: Buffer }>(LOOKUP, [
      this.#run,
      ...columnsOf(keys),
    ]);
    const found = new Map(rows.map(({ nth, body }) => [nth - 1, unpackAnswer(body)]));
    return keys.map((_, at) => found.get(at));
  }

  async #claimAll(keys: readonly AnswerKey[]): Promise<string[]> {
    const sql = 'SELECT state FROM ask($1, $2, $3)';
    const rows = await this.#database.query<{ state: string }>(sql, [this.#worker, ...columnsOf(keys)]);
    return rows.map(({ state }) => state);
  }

  async #keepAll(answers: readonly CachedAnswer[]): Promise<boolean[]> {
    const values = [this.#run, ...columnsOf(answers), answers.map(packAnswer)];
    const rows = await this.#database.query<{ kept_request: string; kept_provider: string }>(KEEP, values);
    for (const answer of answers) this.#claims.delete(nameOf(answer));
    const kept = new Set(
      rows.map((row) => nameOf({ request: row.kept_request, provider: row.kept_provider })),
    );
    // Of two under one key in a batch the first was kept.
    return answers.map((answer) => kept.delete(nameOf(answer)));
  }
}

function nameOf({ request, provider }: AnswerKey): string {
  return `${request} ${provider}`;
}

function columnsOf(keys: readonly AnswerKey[]): [string[], string[]] {
  return [keys.map(({ request }) => request), keys.map(({ provider }) => provider)];
}

/** An answer as it is sent to the database. */
export function packAnswer(answer: CachedAnswer): Buffer {
  return zstdCompressSync(JSON.stringify(answer).toWellFormed());
}

/** An answer from the database; undefined for what is none, which is asked for again. */
export function unpackAnswer(body: Buffer): CachedAnswer | undefined {
  const json = safeParseJson(zstdDecompressSync(body).toString('utf8'), storedLevels);
  const parsed = json.ok ? safeParseAnswer(json.value) : json;
  return 'answer' in parsed ? parsed.answer : undefined;
}
