import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../base/systemClock.ts';
import { RunHalted } from '../../contract/errors.ts';
import {
  databaseAddress,
  hasPassword,
  withoutPassword,
} from '../../pipeline/workers/database/databaseAddress.ts';
import { SharedDatabase } from '../../pipeline/workers/database/sharedDatabase.ts';
import { workOnRuns } from '../../pipeline/workers/workOnRuns.ts';
import { freePorts } from '../support/freePorts.ts';

test.each([
  ['postgres://coa:s3cret@db/coa', 'postgres://coa@db/coa'],
  ['postgresql://coa:s3%2Fcr%40et@db:5433/coa?sslmode=verify-full', 'postgresql://coa@db:5433/coa'],
  ['postgres://db/coa?password=s3cret&user=coa', 'postgres://db/coa'],
  ['postgres://coa@%2Ftmp%2Fsocket/postgres?sslpassword=s3cret', 'postgres://coa@%2Ftmp%2Fsocket/postgres'],
])('%s is shown as %s', (url, shown) => {
  expect(databaseAddress(url)).toBe(shown);
  expect(withoutPassword(url)).not.toMatch(/s3|cr|password/);
  expect(hasPassword(url)).toBe(true);
  expect(hasPassword(withoutPassword(url))).toBe(false);
});

test('what it takes to reach the database in the same way stays in an address without a password', () => {
  const query = '?sslmode=verify-full&sslrootcert=%2Fetc%2Froot.pem';
  expect(withoutPassword(`postgres://coa:s3cret@db/coa${query}&password=x`)).toBe(
    `postgres://coa@db/coa${query}`,
  );
});

test.each(['12/s3cret@db/coa', '12?s3cret@db/coa', '12#s3cret@db/coa', 's3cret/@db/coa', 'x@[s3cret/coa'])(
  'a password that makes %s ambiguous is refused and not shown',
  async (rest) => {
    const url = `postgres://coa:${rest}`;
    for (const read of [databaseAddress, withoutPassword, hasPassword]) {
      expect(() => read(url)).toThrow(/expected the address of a PostgreSQL database/);
      expect(() => read(url)).not.toThrow(/12|s3cret/);
    }
    await expect(SharedDatabase.open(url, () => {})).rejects.toThrow(/expected the address/);
  },
);

test.each([
  ['postgres://coa@db.invalid/coa', 1],
  ['postgres://coa@db.invalid/coa?sslmode=verify-full', 0],
  ['postgres://coa@db.invalid/coa?sslmode=disable', 0],
  ['postgres://coa@127.0.0.1:1/coa', 0],
  ['postgres://coa@%2Fnowhere/coa', 0],
])('%s: %i lines say that its connection is not encrypted', async (url, count) => {
  const said: string[] = [];
  const opening = SharedDatabase.open(url, (line) => said.push(line), { absentMs: 0 });
  await expect(opening).rejects.toThrow(/can't be used/);
  expect(said).toEqual(Array(count).fill(expect.stringMatching(/is not encrypted; add \?sslmode=/)));
});

test('sslmode=require makes no warning of the client', async () => {
  const warned = vi.spyOn(process, 'emitWarning');
  onTestFinished(() => warned.mockRestore());
  const url = 'postgres://coa@127.0.0.1:1/coa?sslmode=require';
  await expect(SharedDatabase.open(url, () => {}, { absentMs: 0 })).rejects.toThrow(/can't be used/);
  expect(warned).not.toHaveBeenCalled();
});

/** What answers as PostgreSQL 14 does. */
function olderServer(): Server {
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, body]);
  };
  const ready = message('Z', Buffer.from('I'));
  const column = Buffer.from([...Buffer.from('\0\u0001server_version_num\0'), ...Array(18).fill(0)]);
  const version = Buffer.from('\0\u0001\0\0\0\u0006140012');
  const row = [message('T', column), message('D', version), message('C', Buffer.from('SHOW\0'))];
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]));
      socket.on('data', () => socket.write(Buffer.concat([...row, ready])));
    });
    socket.on('error', () => {});
  });
  onTestFinished(() => void server.close());
  return server;
}

test('an older PostgreSQL is refused, also one that was away at first', async () => {
  const [port] = await freePorts(1);
  const url = `postgres://coa@127.0.0.1:${port}/coa`;
  const said: string[] = [];
  const opening = SharedDatabase.open(url, (line) => said.push(line));
  const refused = expect(opening).rejects.toThrow(`${url}: is PostgreSQL 14, and 15 or newer is needed`);
  await expect.poll(() => said).toEqual([expect.stringContaining('does not answer, trying on')]);
  olderServer().listen(port, '127.0.0.1');
  await refused;
});

test('a worker waits for a database that is away, and ends at once when it is told to', async () => {
  const [port] = await freePorts(1);
  const drain = new AbortController();
  const said: string[] = [];
  const working = workOnRuns({
    database: `postgres://coa@127.0.0.1:${port}/coa`,
    drain: drain.signal,
    signal: drain.signal,
    env: {},
    clock: systemClock,
    log: (line) => said.push(line),
  });
  await expect.poll(() => said).toEqual([expect.stringContaining('does not answer, trying on')]);
  drain.abort(new RunHalted('told'));
  const told = performance.now();
  await working;
  expect(performance.now() - told).toBeLessThan(2_000);
});
