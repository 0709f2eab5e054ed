import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import { isIPv4, isIPv6 } from 'node:net';
import type { Resolve } from '../../../../tools/fetch/createGuardedDispatcher.ts';

/** A name service of the test's own, over UDP on the loopback. */
export interface DnsServer {
  /** Looks names up with it, as `dns.lookup` does with the machine's own. */
  readonly resolve: Resolve;
  /** Makes it start over: every name is asked for the first time. */
  reset(): void;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_AAAA = 28;

/**
 * Starts a name service. A name has one set of addresses for its first lookup, another for the next, and so on; the
 * last set is for all that follow.
 */
export async function startDnsServer(
  names: Readonly<Record<string, readonly (readonly string[])[]>>,
): Promise<DnsServer> {
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = questionOf(query);
    // Either type may be asked for first, so they are counted apart.
    const key = `${name} ${type}`;
    const count = asked.get(key) ?? 0;
    asked.set(key, count + 1);
    const sets = names[name] ?? [[]];
    const addresses = sets[Math.min(count, sets.length - 1)]!;
    const records = addresses.filter(type === TYPE_A ? isIPv4 : isIPv6);
    const isKnown = name in names;
    socket.send(answerTo(query.subarray(0, end), records, type, isKnown), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new dns.promises.Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    reset: () => asked.clear(),
    resolve: async (host) => {
      const none = (error: NodeJS.ErrnoException): string[] => {
        if (error.code === 'ENODATA') return [];
        throw error;
      };
      const four = (await resolver.resolve4(host).catch(none)).map((address) => ({ address, family: 4 }));
      const six = (await resolver.resolve6(host).catch(none)).map((address) => ({ address, family: 6 }));
      return [...four, ...six];
    },
    close: async () => {
      resolver.cancel();
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** The question of a query (RFC 1035, section 4.1.2), and where it ends. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(question: Buffer, addresses: readonly string[], type: number, isKnown: boolean): Buffer {
  const header = Buffer.from(question.subarray(0, 12));
  // An answer with recursion; "no such name" for the unknown ones.
  header.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = type === TYPE_AAAA ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number));
    const head = Buffer.alloc(12);
    // The name is the question's, the class IN, the time to live 0.
    head.writeUInt16BE(0xc00c, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(data.length, 10);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([header, question.subarray(12), ...records]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const words = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const [before, after] = [words(head), words(tail ?? '')];
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}
