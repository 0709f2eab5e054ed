import { setTimeout as delay } from 'node:timers/promises';
import { createBatches } from '../../../base/batches.ts';
import { safeParseJson, storedLevels } from '../../../base/json.ts';
import { safeParseAnswer } from '../../../calls/cache/answerRow.ts';
import type { AnswerCache, AnswerKey } from '../../../contract/answerCache.ts';
import type { CachedAnswer } from '../../../schemas/run/cachedAnswer.ts';
import { pack, type SharedDatabase, STATEMENT_EVERY_MS, unpackText } from './sharedDatabase.ts';

/** Requests per statement. */
const AT_ONCE = 64;
/** Polling interval for a request that another worker is sending, or whose answer is being restored. */
const LOOK_MS = { least: 50, most: 250 };

const FIND = 'SELECT body, is_archived FROM find_answers($1, $2, $3)';
const KEEP = 'SELECT kept_request, kept_provider FROM keep($1, $2, $3, $4)';

/** Compressed answers of a run, shared by many machines. */
export class SharedAnswerCache implements AnswerCache {
  readonly #database: SharedDatabase;
  readonly #run: string;
  readonly #worker: string;
  /** Requests claimed by this process. */
  readonly #claims = new Set<string>();
  /** Answers to requests claimed by this process. */
  readonly #known = new Map<string, CachedAnswer | undefined>();
  readonly #find: (key: AnswerKey) => Promise<Found>;
  readonly #claim: (key: AnswerKey) => Promise<Claimed>;
  readonly #want: (key: AnswerKey) => Promise<undefined>;
  readonly #keep: (answer: CachedAnswer) => Promise<boolean>;

  constructor(database: SharedDatabase, { run, worker }: { readonly run: string; readonly worker: string }) {
    this.#database = database;
    this.#run = run;
    this.#worker = worker;
    this.#find = createBatches((keys) => this.#findAll(keys), AT_ONCE, STATEMENT_EVERY_MS);
    this.#claim = createBatches((keys) => this.#claimAll(keys), AT_ONCE, STATEMENT_EVERY_MS);
    this.#want = createBatches((keys) => this.#wantAll(keys), AT_ONCE, STATEMENT_EVERY_MS);
    this.#keep = createBatches((answers) => this.#keepAll(answers), AT_ONCE, STATEMENT_EVERY_MS);
  }

  async lookup({ request, provider }: AnswerKey): Promise<CachedAnswer | undefined> {
    const name = nameOf({ request, provider });
    if (this.#known.has(name)) return this.#known.get(name);
    for (;;) {
      const { answer, isArchived } = await this.#find({ request, provider });
      if (!isArchived) return answer;
      await this.#comesBack({ request, provider });
    }
  }

  async lookupRequest(request: string): Promise<CachedAnswer | undefined> {
    const sql = 'SELECT body FROM answer WHERE run = $1 AND request = $2 LIMIT 2';
    const [row, other] = await this.#database.query<{ body: Buffer }>(sql, [this.#run, request]);
    const answer = row && other === undefined ? unpackAnswer(row.body) : undefined;
    return answer?.request === request ? answer : undefined;
  }

  async store(answer: CachedAnswer): Promise<CachedAnswer> {
    const isNew = await this.#keep(answer);
    this.#known.delete(nameOf(answer));
    return isNew ? answer : ((await this.lookup(answer)) ?? answer);
  }

  /** As in {@link AnswerCache.alone}: one worker at a time, as long as it keeps its lease. */
  async alone<T>(key: AnswerKey, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      const { state, answer } = await this.#claim(key);
      if (state === 'answered') return this.#knowing(key, answer, work);
      if (state === 'mine') return this.#knowing(key, undefined, () => this.#claimed(key, work));
      if (state === 'archived') await this.#comesBack(key);
      else await pause();
    }
  }

  /** Uses the answer found by the claim; no other process writes one in the meantime. */
  async #knowing<T>(key: AnswerKey, answer: CachedAnswer | undefined, work: () => Promise<T>): Promise<T> {
    const name = nameOf(key);
    this.#known.set(name, answer);
    try {
      return await work();
    } finally {
      this.#known.delete(name);
    }
  }

  /** Requests an answer that only the coordinator has, and waits for it. */
  async #comesBack(key: AnswerKey): Promise<void> {
    await this.#want(key);
    await pause();
  }

  /** Releases the claim: storing an answer deletes it; otherwise the next worker may send the request. */
  async #claimed<T>(key: AnswerKey, work: () => Promise<T>): Promise<T> {
    const name = nameOf(key);
    this.#claims.add(name);
    try {
      return await work();
    } finally {
      if (this.#claims.delete(name)) {
        const sql = 'DELETE FROM claim WHERE run = $1 AND request = $2 AND provider = $3 AND worker = $4';
        await this.#database.query(sql, [this.#run, key.request, key.provider, this.#worker]);
      }
    }
  }

  async #findAll(keys: readonly AnswerKey[]): Promise<Found[]> {
    const rows = await this.#database.query<FoundRow>(FIND, [this.#run, ...columnsOf(keys)]);
    return rows.map(({ body, is_archived: isArchived }, at) => ({
      answer: answerTo(keys[at], body),
      isArchived,
    }));
  }

  async #claimAll(keys: readonly AnswerKey[]): Promise<Claimed[]> {
    const sql = 'SELECT state, body FROM ask($1, $2, $3)';
    const rows = await this.#database.query<ClaimedRow>(sql, [this.#worker, ...columnsOf(keys)]);
    return rows.map(({ state, body }, at) => ({ state, answer: answerTo(keys[at], body) }));
  }

  async #wantAll(keys: readonly AnswerKey[]): Promise<undefined[]> {
    await this.#database.query('SELECT want($1, $2, $3)', [this.#run, ...columnsOf(keys)]);
    return keys.map(() => undefined);
  }

  async #keepAll(answers: readonly CachedAnswer[]): Promise<boolean[]> {
    const values = [this.#run, ...columnsOf(answers), answers.map(pack)];
    const rows = await this.#database.query<{ kept_request: string; kept_provider: string }>(KEEP, values);
    for (const answer of answers) this.#claims.delete(nameOf(answer));
    const kept = new Set(
      rows.map((row) => nameOf({ request: row.kept_request, provider: row.kept_provider })),
    );
    // The first of two answers under one key in a batch was kept.
    return answers.map((answer) => kept.delete(nameOf(answer)));
  }
}

interface Found {
  readonly answer: CachedAnswer | undefined;
  /** True if only the coordinator has the answer. */
  readonly isArchived: boolean;
}

interface FoundRow {
  readonly body: Buffer | null;
  readonly is_archived: boolean;
}

interface Claimed {
  readonly state: 'answered' | 'mine' | 'busy' | 'archived';
  readonly answer: CachedAnswer | undefined;
}

interface ClaimedRow {
  readonly state: Claimed['state'];
  readonly body: Buffer | null;
}

/** @throws Error if the answer belongs to another request */
function answerTo(key: AnswerKey | undefined, body: Buffer | null): CachedAnswer | undefined {
  const answer = body ? unpackAnswer(body) : undefined;
  if (answer && (!key || nameOf(answer) !== nameOf(key)))
    throw new Error('the database gave the answer to another request');
  return answer;
}

function pause(): Promise<void> {
  return delay(LOOK_MS.least + Math.random() * (LOOK_MS.most - LOOK_MS.least));
}

function nameOf({ request, provider }: AnswerKey): string {
  return `${request} ${provider}`;
}

function columnsOf(keys: readonly AnswerKey[]): [string[], string[]] {
  return [keys.map(({ request }) => request), keys.map(({ provider }) => provider)];
}

/** Decodes an answer; undefined if invalid, which triggers a new request. */
export function unpackAnswer(body: Buffer): CachedAnswer | undefined {
  const json = safeParseJson(unpackText(body), storedLevels);
  const parsed = json.ok ? safeParseAnswer(json.value) : json;
  return 'answer' in parsed ? parsed.answer : undefined;
}
