/**
 * Runs in a network namespace of its own, in which every address there is leads to one listening server: asks for
 * every forbidden target without the guard and with it, and prints what the server saw.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Agent, EnvHttpProxyAgent, fetch } from 'undici';
import { parseAllowedHost } from '../../../../schemas/config/tools/allowedHost.ts';
import { createAllowedHosts } from '../../../../tools/fetch/allowedHosts.ts';
import { createGuardedDispatcher, type Resolve } from '../../../../tools/fetch/createGuardedDispatcher.ts';
import { fetchPage } from '../../../../tools/fetch/fetchPage.ts';
import { forbiddenNames, forbiddenTargets, publicNames } from './forbiddenTargets.ts';
import { startDnsServer } from './startDnsServer.ts';

/** What one target came to. */
export interface Probe {
  readonly url: string;
  readonly connects: boolean;
  /** Connections to forbidden addresses that the server saw. */
  readonly unguarded: number;
  readonly guarded: number;
  /** What a crawl says of the page. */
  readonly reason: string;
}

/** What the probes came to. */
export interface ProbeReport {
  readonly probes: readonly Probe[];
  /** Connections with and without a list of exceptions, by the exceptions and the URL. */
  readonly allowed: readonly { readonly entry: string; readonly url: string; readonly connections: number }[];
  /** Connections to the proxy that the environment names. */
  readonly proxy: { readonly unguarded: number; readonly guarded: number };
  /** Connections to a port of another service of a public host. */
  readonly otherPort: { readonly unguarded: number; readonly guarded: number };
}

const PORT_OF_MAIL = 25;
const PROXY_PORT = 3128;
const PUBLIC = new Set(['93.184.216.34', '93.184.216.35', '93.184.216.36', '2606:2800:220:1::1']);
const limits = { timeoutMs: 2000, maxBytes: 1000, maxRetries: 0 };
const { signal } = new AbortController();

const dns = await startDnsServer({ ...forbiddenNames, ...publicNames });
const resolve: Resolve = (host) =>
  host.replace(/\.$/, '').toLowerCase() === 'localhost'
    ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
    : dns.resolve(host);

/** Servers on every address, of which each port counts for itself. */
const seen = new Map<number, string[]>();
async function listen(listener: RequestListener, port = 0): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((done) => server.listen(port, '::', done));
  const at = (server.address() as AddressInfo).port;
  seen.set(at, []);
  server.on('connection', ({ localAddress = '' }: Socket) => {
    // Version 4 comes mapped, as it does by a URL that maps it itself: that is one for the URL's own check.
    seen.get(at)!.push(localAddress.replace(/^::ffff:/, ''));
  });
  server.unref();
  return at;
}

/** Goes on to the next location of its path: /302/LOCATION/LOCATION. */
const port = await listen((request, response) => {
  const [status, location, ...others] = request.url!.slice(1).split('/');
  if (!/^3\d\d$/.test(status!) || !location)
    return void response.writeHead(200, { connection: 'close' }).end('in');
  const next = withPort(decodeURIComponent(location));
  const onward = others.length === 0 ? next : `${next.replace(/\/$/, '')}/${status}/${others.join('/')}`;
  response.writeHead(Number(status), { location: onward, connection: 'close' }).end();
});

function withPort(url: string): string {
  return url.replace(/:0(?=[/#])/, `:${port}`);
}

/** Forbidden connections to a port while something is done. */
async function counted(at: number, work: () => Promise<unknown>): Promise<number> {
  const before = seen.get(at)!.length;
  dns.reset();
  await work().catch(() => undefined);
  // The server learns of a connection a moment after the client.
  await new Promise((done) => setTimeout(done, 3));
  return seen
    .get(at)!
    .slice(before)
    .filter((address) => !PUBLIC.has(address)).length;
}

/** What a crawler does that looks a name up, checks it, and leaves connecting to whoever looks it up again. */
function unguardedDispatcher(): Agent {
  return new Agent({
    connect: {
      timeout: 1000,
      lookup: (host, options, callback) => {
        resolve(host).then(
          async () => {
            const again = await resolve(host);
            // A forbidden one among several is reached sooner or later: here at once.
            const [first] = again.toSorted(
              (a, b) => Number(PUBLIC.has(a.address)) - Number(PUBLIC.has(b.address)),
            );
            if (options.all) callback(null, [first!]);
            else callback(null, first!.address, first!.family);
          },
          (error) => callback(error, ''),
        );
      },
    },
  });
}

async function unguarded(url: string): Promise<void> {
  const dispatcher = unguardedDispatcher();
  await fetch(withoutUser(url), { dispatcher, signal: AbortSignal.timeout(2000) }).finally(() =>
    dispatcher.destroy(),
  );
}

/** `fetch` refuses a URL with a user by itself. */
function withoutUser(url: string): URL {
  const parsed = new URL(url);
  return Object.assign(parsed, { username: '', password: '' });
}

async function guarded(url: string, entries: readonly string[] = []): Promise<string> {
  const allowed = createAllowedHosts(
    entries.map((entry) => parseAllowedHost(entry.replace(/:0$/, `:${port}`))!),
  );
  const dispatcher = createGuardedDispatcher(new Map(), resolve, allowed);
  const page = await fetchPage(url, limits, dispatcher, signal).finally(() => dispatcher.destroy());
  return page.kind === 'inaccessible' ? page.reason : `read: ${Buffer.from(page.bytes)}`;
}

const probes: Probe[] = [];
for (const { url, connects } of forbiddenTargets) {
  const target = withPort(url);
  let reason = '';
  const withGuard = await counted(port, async () => {
    // Once more, for who lets a name through that was checked before.
    await guarded(target);
    reason = await guarded(target);
  });
  probes.push({
    url,
    connects,
    unguarded: await counted(port, () => unguarded(target)),
    guarded: withGuard,
    reason,
  });
}

const exceptions: readonly [entry: string, url: string][] = [
  ['127.0.0.1:0', 'http://127.0.0.1:0/'],
  ['127.0.0.1:0', 'http://127.0.0.2:0/'],
  ['127.0.0.1:1', 'http://127.0.0.1:0/'],
  ['[::1]:0', 'http://[::1]:0/'],
  ['loopback.example:0', 'http://loopback.example:0/'],
  ['loopback.example:0', 'http://127.0.0.1:0/'],
  ['10.0.0.0/8', 'http://10.200.3.4:0/'],
  ['10.0.0.0/8', 'http://private.example:0/'],
  ['10.0.0.0/8', 'http://192.168.0.1:0/'],
  ['fd00::/8', 'http://unique-local.example:0/'],
  ['fd00::/8', 'http://[fd00:ec2::254]:0/'],
  ['169.254.0.0/16', 'http://169.254.169.254:0/'],
  ['metadata.example:0', 'http://metadata.example:0/'],
  ['0.0.0.0/0', 'http://[::ffff:127.0.0.1]:0/'],
  ['::/0', 'http://[::ffff:127.0.0.1]:0/'],
];
const allowed = [];
for (const [entry, url] of exceptions) {
  const connections = await counted(port, () => guarded(withPort(url), [entry]));
  allowed.push({ entry, url, connections });
}

// Whoever starts this puts the proxy into its environment.
const proxyPort = await listen((_request, response) => void response.end('proxied'), PROXY_PORT);
const throughProxy = new EnvHttpProxyAgent();
const proxy = {
  unguarded: await counted(proxyPort, () =>
    fetch(`http://public.example:${port}/`, { dispatcher: throughProxy }),
  ),
  guarded: await counted(proxyPort, () => guarded(`http://public.example:${port}/`)),
};

await listen((_request, response) => void response.end('mail'), PORT_OF_MAIL);
const reached = async (work: () => Promise<unknown>) => {
  const before = seen.get(PORT_OF_MAIL)!.length;
  await counted(PORT_OF_MAIL, work);
  return seen.get(PORT_OF_MAIL)!.length - before;
};
const toMail = `http://public.example:${port}/302/${encodeURIComponent(`http://public.example:${PORT_OF_MAIL}/`)}`;
const bare = unguardedDispatcher();
const otherPort = {
  unguarded: await reached(() =>
    bare.request({ origin: `http://public.example:${PORT_OF_MAIL}`, path: '/', method: 'GET' }),
  ),
  guarded: await reached(() => guarded(toMail)),
};

const report: ProbeReport = { probes, allowed, proxy, otherPort };
process.stdout.write(JSON.stringify(report), () => process.exit(0));
