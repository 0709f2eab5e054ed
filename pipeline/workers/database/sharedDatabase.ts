import { setTimeout as delay } from 'node:timers/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Client, Pool, QueryConfig } from 'pg';
import { UserError } from '../../../base/userError.ts';
import { RunHalted } from '../../../contract/errors.ts';
import { asVerified, databaseAddress } from './databaseAddress.ts';
import { hasTables, makeTables, refuseOldServer } from './makeTables.ts';

/** SQLSTATE of a statement of a worker that has lost its lease (tables/2_leases.sql). */
const LOST_LEASE = 'CW001';

/** Connections of a process: one waits for the disk while the others work. */
const CONNECTIONS = 4;
/** Without them a statement waits for ever where the network swallows packets. */
const TIMEOUTS = { connectionTimeoutMillis: 3_000, query_timeout: 10_000 };
/**
 * Rows are found by their keys. Those of claims and shards come and go so fast that the planner takes their tables for
 * empty ones, which it would read as a whole; what it thinks of the cost then makes it compile.
 */
const OPTIONS = '-c search_path=coa_distill -c enable_seqscan=off -c jit=off';
/** A statement is given so much at least, however short a lease is. */
const LEAST_TIMEOUT_MS = 1_000;
/** Pause between two tries of a statement while the database is away. */
const RETRY_MS = { least: 100, most: 1_000 };
/** How long a server that says that it is starting is waited for. */
const START_MS = 30_000;
/** How long one is waited for that is not there, as while it restarts: a mistake in the address is told soon. */
const ABSENT_MS = 5_000;
/**
 * Least time between two statements of a kind from one process, under load: a statement costs either side as much as
 * several calls in one, and a model takes a hundred times as long.
 */
export const STATEMENT_EVERY_MS = 10;

const PLAIN =
  'the connection to another machine is not encrypted; add ?sslmode=verify-full to the address (docs/scale-out.md)';

/** Classes of SQLSTATE after which the same statement may go well: connections, shutdowns, deadlocks, too many clients. */
const passing = /^(?:08|57P0|40001|40P01|53300|55P03)/;

/** What the owner of a database can do about its errors, by SQLSTATE. */
const advice: Readonly<Record<string, string>> = {
  '25006': 'name the server that writes',
  '42501': 'give the user the rights that docs/scale-out.md names',
  '53100': "free space on the database's disk, then run again: what is done is kept",
  '53200': 'give the database more memory, then run again: what is done is kept',
};

/** Values of a statement. */
type Values = readonly (
  | string
  | number
  | boolean
  | null
  | Buffer
  | readonly (string | number | Buffer | null)[]
)[];

/** Thrown to a worker that has lost its lease, or whose run is over: nothing that it does counts any more. */
export class WorkerLost extends RunHalted {
  override readonly name = 'WorkerLost';
}

interface OpenOptions {
  /** What it is called in messages; default: its address without password. */
  readonly name?: string | undefined;
  /** False for who has no use for empty tables, and may lack the right to make them; default: true. */
  readonly makesTables?: boolean;
  /** How long a server that is not there is waited for, in milliseconds; default: 5,000. */
  readonly absentMs?: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/** The tables that the machines of a run share, in PostgreSQL. */
export class SharedDatabase {
  /** Its address without password and query. */
  readonly address: string;
  readonly #pool: Pool;
  readonly #log: (line: string) => void;
  readonly #names = new Map<string, string>();
  #timeoutMs = TIMEOUTS.query_timeout;
  #isAway = false;
  #isClosed = false;

  private constructor(pool: Pool, address: string, log: (line: string) => void) {
    this.#pool = pool;
    this.address = address;
    this.#log = log;
    // An idle connection that breaks is replaced by the next statement.
    pool.on('error', () => {});
  }

  /**
   * Connects, and makes the tables where there are none.
   *
   * @param url `postgres://user@host/database`; what it leaves out comes from `PGPASSWORD` and the other variables of libpq
   * @param log told when the database goes away and comes back
   * @throws UserError when it can't be reached, or holds runs of another version
   */
  static async open(
    url: string,
    log: (line: string) => void,
    { name, makesTables = true, absentMs = ABSENT_MS, signal }: OpenOptions = {},
  ): Promise<SharedDatabase> {
    const address = name ?? databaseAddress(url);
    const { default: pg } = await import('pg');
    const connectionString = asVerified(url);
    const pool = new pg.Pool({
      connectionString,
      max: CONNECTIONS,
      options: OPTIONS,
      ...TIMEOUTS,
    });
    const opened = new SharedDatabase(pool, address, log);
    if (isPlain(new pg.Client(connectionString), url)) log(`${address}: ${PLAIN}`);
    const startedMs = Date.now();
    for (;;) {
      try {
        await opened.#setUp(makesTables);
        return opened;
      } catch (error) {
        const waitMs = isAbsent(error) ? absentMs : passing.test(sqlState(error) ?? '') ? START_MS : 0;
        if (Date.now() - startedMs < waitMs && !signal?.aborted) {
          opened.#noteAway(error);
          await delay(RETRY_MS.most, undefined, { signal }).catch(() => {});
          continue;
        }
        await opened.close();
        signal?.throwIfAborted();
        if (error instanceof UserError) throw error;
        throw explained(error, `${address}: the database can't be used`);
      }
    }
  }

  /** Has a server that vanished noticed while a lease of so many seconds lasts. */
  noticeWithin(leaseS: number): void {
    const halfMs = (leaseS * 1000) / 2;
    this.#timeoutMs = Math.max(LEAST_TIMEOUT_MS, Math.min(TIMEOUTS.query_timeout, halfMs));
  }

  /**
   * Runs a statement until it succeeds, also while the database restarts: a lost reply may hide a commit, so it must do
   * no harm when it is run twice.
   *
   * @throws WorkerLost, `UserError` for what the database's owner can fix, and errors of the statement itself
   */
  async query<Row extends object>(text: string, values: Values = []): Promise<Row[]> {
    for (;;) {
      try {
        const prepared = values.length > 0 && { name: this.#nameOf(text) };
        // The types leave the time limit of a statement out.
        const query_timeout = this.#timeoutMs;
        const asked = { text, values: values as unknown[], query_timeout, ...prepared } as QueryConfig;
        const { rows } = await this.#pool.query<Row>(asked);
        if (this.#isAway) this.#log(`${this.address}: answers again`);
        this.#isAway = false;
        return rows;
      } catch (error) {
        const code = sqlState(error);
        if (code === LOST_LEASE) throw new WorkerLost((error as Error).message);
        if (code !== undefined && advice[code]) throw explained(error, this.address);
        if (this.#isClosed || (code !== undefined && !passing.test(code))) throw error;
        this.#noteAway(error);
        await delay(RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least));
      }
    }
  }

  #noteAway(error: unknown): void {
    if (!this.#isAway) this.#log(`${this.address}: does not answer, trying on (${(error as Error).message})`);
    this.#isAway = true;
  }

  /** What a statement is called by: the server plans one with a name once for each connection. */
  #nameOf(text: string): string {
    const name = this.#names.get(text) ?? `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  /**
   * Whether the tables are there, as this version has them: the coordinator of the first run makes them.
   *
   * @throws UserError when they hold a run of another version
   */
  hasTables(): Promise<boolean> {
    return hasTables((text) => this.query(text), this.address);
  }

  async #setUp(makesTables: boolean): Promise<void> {
    const client = await this.#pool.connect();
    try {
      await refuseOldServer(client, this.address);
      if (makesTables) await makeTables(client, this.address);
    } finally {
      client.release();
    }
  }
}

/** Whether a connection to another machine is not encrypted, and nobody said that it is to be so. */
function isPlain({ host, ssl }: Client, url: string): boolean {
  const isHere = /^(?:\/|localhost$|127\.|\[?::1\]?$)/.test(host);
  return !isHere && !ssl && !/[?&]sslmode=/.test(url) && process.env.PGSSLMODE === undefined;
}

/** Whether nobody answered at the address, or went away in the middle: errors of the network, without a state. */
function isAbsent(error: unknown): boolean {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ENOENT)$/.test(code) || /terminated/i.test(message);
}

function explained(error: unknown, what: string): UserError {
  const todo = advice[sqlState(error) ?? ''];
  return new UserError(`${what}: ${(error as Error).message}${todo ? `; ${todo}` : ''}`, { cause: error });
}

/** The server's code of an error; undefined for one that no server sent. */
function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : undefined;
}

/** A value as it is kept in the database. */
export function pack(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value).toWellFormed());
  // Told the size, zstd makes tables for it, instead of megabytes that it has to clear each time.
  return zstdCompressSync(json, { pledgedSrcSize: json.length });
}

/** What {@link pack} took. */
export function unpack(body: Buffer): unknown {
  return JSON.parse(unpackText(body));
}

/** The same as JSON, from wherever it comes. */
export function unpackText(body: Buffer): string {
  return zstdDecompressSync(body).toString('utf8');
}
