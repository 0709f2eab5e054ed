import { setTimeout as delay } from 'node:timers/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Client, Pool, QueryConfig } from 'pg';
import { UserError } from '../../../base/userError.ts';
import { RunHalted } from '../../../contract/errors.ts';
import { asVerified, databaseAddress } from './databaseAddress.ts';
import { hasTables, makeTables, refuseOldServer } from './makeTables.ts';

/** SQLSTATE raised by statements of a worker without a lease (tables/2_leases.sql). */
const LOST_LEASE = 'CW001';

/** Connections per process: one waits for the disk while the others work. */
const CONNECTIONS = 4;
/** Timeouts, since a statement would wait for ever if the network drops packets. */
const TIMEOUTS = { connectionTimeoutMillis: 3_000, query_timeout: 10_000 };
/**
 * Rows are found by key. Claims and shards change so fast that the planner assumes empty tables and would scan them,
 * and its cost estimate would trigger compilation.
 */
const OPTIONS = '-c search_path=coa_distill -c enable_seqscan=off -c jit=off';
/** Minimum timeout of a statement, however short the lease. */
const LEAST_TIMEOUT_MS = 1_000;
/** Retry interval of a statement while the database is unreachable. */
const RETRY_MS = { least: 100, most: 1_000 };
/** Timeout for a server that reports that it is starting. */
const START_MS = 30_000;
/** Timeout for an unreachable server, such as during a restart; short, so that a wrong address is reported soon. */
const ABSENT_MS = 5_000;
/**
 * Minimum interval between statements of a kind per process under load. A statement costs as much as several calls in
 * one, and a model takes a hundred times as long.
 */
export const STATEMENT_EVERY_MS = 10;

const PLAIN =
  'the connection to another machine is not encrypted; add ?sslmode=verify-full to the address (docs/scale-out.md)';

/** Retryable SQLSTATE classes: connections, shutdowns, deadlocks, too many clients. */
const passing = /^(?:08|57P0|40001|40P01|53300|55P03)/;

/** Remedies for database errors, by SQLSTATE. */
const advice: Readonly<Record<string, string>> = {
  '25006': 'name the server that writes',
  '42501': 'give the user the rights that docs/scale-out.md names',
  '53100': "free space on the database's disk, then run again: what is done is kept",
  '53200': 'give the database more memory, then run again: what is done is kept',
};

type Values = readonly (
  | string
  | number
  | boolean
  | null
  | Buffer
  | readonly (string | number | Buffer | null)[]
)[];

/** Thrown to a worker that lost its lease or whose run is over: its results no longer count. */
export class WorkerLost extends RunHalted {
  override readonly name = 'WorkerLost';
}

interface OpenOptions {
  /** Name in messages; default: the address without password. */
  readonly name?: string | undefined;
  /** False for readers, which may lack the right to create tables; default: true. */
  readonly makesTables?: boolean;
  /** Timeout for an unreachable server, in milliseconds; default: 5,000. */
  readonly absentMs?: number;
  readonly signal?: AbortSignal;
}

/** PostgreSQL tables that the machines of a run share. */
export class SharedDatabase {
  /** Address without password and query. */
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
    // A broken idle connection is replaced by the next statement.
    pool.on('error', () => {});
  }

  /**
   * Connects, and creates the tables if needed.
   *
   * @param url `postgres://user@host/database`; missing parts come from `PGPASSWORD` and the other variables of libpq
   * @param log called when the database becomes unreachable and reachable again
   * @throws UserError if it is unreachable, or holds runs of another version
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

  /** Adjusts timeouts so that a vanished server is noticed within a lease. */
  noticeWithin(leaseS: number): void {
    const halfMs = (leaseS * 1000) / 2;
    this.#timeoutMs = Math.max(LEAST_TIMEOUT_MS, Math.min(TIMEOUTS.query_timeout, halfMs));
  }

  /**
   * Runs a statement, retrying while the database restarts. It must be idempotent, since a lost reply may hide a
   * commit.
   *
   * @throws WorkerLost, `UserError` for problems that the database's owner can fix, and errors of the statement itself
   */
  async query<Row extends object>(text: string, values: Values = []): Promise<Row[]> {
    for (;;) {
      try {
        const prepared = values.length > 0 && { name: this.#nameOf(text) };
        // The type definitions lack the timeout of a statement.
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

  /** Name of a prepared statement: the server plans it once per connection. */
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
   * True if the tables exist in this version; the coordinator of the first run creates them.
   *
   * @throws UserError if they hold a run of another version
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

/** True if a connection to another machine is unencrypted without an explicit setting. */
function isPlain({ host, ssl }: Client, url: string): boolean {
  const isHere = /^(?:\/|localhost$|127\.|\[?::1\]?$)/.test(host);
  return !isHere && !ssl && !/[?&]sslmode=/.test(url) && process.env.PGSSLMODE === undefined;
}

/** True for network errors without SQLSTATE: no answer, or a lost connection. */
function isAbsent(error: unknown): boolean {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ENOENT)$/.test(code) || /terminated/i.test(message);
}

function explained(error: unknown, what: string): UserError {
  const todo = advice[sqlState(error) ?? ''];
  return new UserError(`${what}: ${(error as Error).message}${todo ? `; ${todo}` : ''}`, { cause: error });
}

/** SQLSTATE of an error; undefined if no server sent it. */
function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : undefined;
}

export function pack(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value).toWellFormed());
  // Given the size, zstd allocates matching tables instead of clearing megabytes each time.
  return zstdCompressSync(json, { pledgedSrcSize: json.length });
}

export function unpack(body: Buffer): unknown {
  return JSON.parse(unpackText(body));
}

/** As {@link unpack}, but returns JSON text. */
export function unpackText(body: Buffer): string {
  return zstdDecompressSync(body).toString('utf8');
}
