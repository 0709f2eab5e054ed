import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import type { Targets } from '../attacks/prelude.ts';

/** The targets, and who came to them. */
export interface RunningTargets {
  readonly targets: Targets;
  /** Connections and datagrams received so far. */
  contacts(): number;
  close(): void;
}

/** What the secret file says. */
export const SECRET = 'a secret of the host';

/** Puts up all that the attacks aim at: files, and sockets on the loopback that count who comes. */
export async function startTargets(): Promise<RunningTargets> {
  const folder = mkdtempSync(path.join(tmpdir(), 'coa-attacks-'));
  for (const name of ['', 'tree']) openToAll(path.join(folder, name));
  const secretFile = path.join(folder, 'secret');
  writeFileSync(secretFile, SECRET);
  writeFileSync(path.join(folder, 'appended'), '');
  // Only who may write to a file may make a hard link to it.
  for (const name of ['secret', 'appended']) chmodSync(path.join(folder, name), 0o666);

  const count = { contacts: 0 };
  const servers: { close(): void }[] = [];
  const socketFile = path.join(folder, 'socket');
  const socketName = `coa-attack-${process.pid}`;
  const tcp = await listen(servers, count, { port: 0, host: '127.0.0.1' });
  await listen(servers, count, { path: socketFile, writableAll: true });
  await listen(servers, count, { path: `\0${socketName}` });
  const udpPort = await answer(servers, count, (question) => question);
  const dnsPort = await answer(servers, count, loopbackAnswer);

  const targets = {
    folder,
    secretFile,
    secretVariable: `variable-of-${process.pid}`,
    hostName: hostname(),
    tcpPort: (tcp.address() as AddressInfo).port,
    udpPort,
    dnsPort,
    netnsCookie: netnsCookie(),
    socketFile,
    socketName,
    neighbour: `coa-neighbour-${process.pid}`,
  };
  return {
    targets,
    contacts: () => count.contacts,
    close() {
      for (const server of servers) server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function openToAll(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
}

function listen(
  servers: { close(): void }[],
  count: { contacts: number },
  where: ListenOptions,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      count.contacts += 1;
      socket.destroy();
    });
    servers.push(server);
    server.once('error', reject).listen(where, () => resolve(server));
  });
}

/** Answers datagrams on a port of its own. */
function answer(
  servers: { close(): void }[],
  count: { contacts: number },
  reply: (question: Buffer) => Buffer,
): Promise<number> {
  return new Promise((resolve) => {
    const server = createSocket('udp4', (question, from) => {
      count.contacts += 1;
      server.send(reply(question), from.port, from.address);
    });
    servers.push(server);
    server.bind(0, '127.0.0.1', () => resolve(server.address().port));
  });
}

/** 127.0.0.1 for any question about one name (RFC 1035, sections 4.1.1 and 4.1.3). */
function loopbackAnswer(question: Buffer): Buffer {
  const header = Buffer.from([question[0]!, question[1]!, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([header, question.subarray(12), record]);
}

function netnsCookie(): string {
  const code = `
import socket, struct
print(struct.unpack('Q', socket.socket().getsockopt(socket.SOL_SOCKET, 71, 8))[0], end='')`;
  return spawnSync('/usr/bin/python3', ['-c', code], { encoding: 'utf8' }).stdout;
}
