import dns from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { type AllowedHosts, createAllowedHosts } from './allowedHosts.ts';

/** Actual location of a host's pages: our own server on the loopback. */
export interface HostOverride {
  readonly address: string;
  readonly port: number;
}

/** Refused connection into this machine or its networks. */
class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Refused connection to a port of services other than web sites. */
class ForbiddenPort extends Error {
  override readonly name = 'ForbiddenPort';
}

/** Resolves all addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly dns.LookupAddress[]>;

type Connect = ReturnType<typeof buildConnector>;

const resolveByDns: Resolve = (host) => dns.promises.lookup(host, { all: true });
const nothingAllowed = createAllowedHosts([]);

/**
 * First allowed port: lower ones belong to mail, files, logins and the like, which could misinterpret an HTTP
 * request.
 */
const FIRST_FREE_PORT = 1024;
/** Maximum response headers; like browsers, while Node's default is 16 KiB. */
const MAX_HEADER_BYTES = 65_536;
const DEFAULT_IDLE_TIMEOUT_MS = 15_000;

/**
 * The dispatcher of all crawling. A connection to a host goes to an address that was looked up and checked for that
 * very connection, so an answer of the name service that changes meanwhile is of no use; one forbidden address among
 * several is enough to refuse. Only the hosts of `overrides` lead to the loopback, on their default port, and what
 * `allowed` names. Proxies of the environment are not used: they would look names up by themselves.
 *
 * @param idleTimeoutMs longest wait for a server to send anything more
 */
export function createGuardedDispatcher(
  overrides: ReadonlyMap<string, HostOverride>,
  resolve: Resolve = resolveByDns,
  allowed: AllowedHosts = nothingAllowed,
  idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS,
): Dispatcher {
  const connectOwn = buildConnector({ allowH2: false });
  // By port, since a lookup does not get the port.
  const connectors = new Map<number, Connect>();
  const connectorAt = (port: number): Connect => {
    const lookup = guardedLookup(resolve, (address, host) => allowed.admits(address, bareHost(host), port));
    const connector = connectors.get(port) ?? buildConnector({ allowH2: false, lookup });
    connectors.set(port, connector);
    return connector;
  };
  return new Agent({
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    connect: (options, callback) => {
      const host = bareHost(options.hostname);
      const own = overrides.get(host);
      if (own && !options.port) {
        const { address: hostname, port } = own;
        return connectOwn({ protocol: 'http:', hostname, port: String(port) }, callback);
      }
      const port = portOf(options.port, options.protocol);
      const refusal = refusalOf(host, port, allowed);
      if (refusal) return callback(refusal, null);
      return connectorAt(port)(options, callback);
    },
  });
}

/**
 * Checks that a guarded dispatcher would connect to a page's host, before another service is asked for it.
 * @throws ForbiddenAddress, ForbiddenPort, or what the name service throws
 */
export async function assertMayConnect(
  { hostname, port: written, protocol }: URL,
  allowed: AllowedHosts,
  resolve: Resolve = resolveByDns,
): Promise<void> {
  const host = bareHost(hostname);
  const port = portOf(written, protocol);
  const refusal = refusalOf(host, port, allowed);
  if (refusal) throw refusal;
  if (!isIP(host)) await admittedAddresses(host, resolve, (address) => allowed.admits(address, host, port));
}

function portOf(port: string | undefined, protocol: string | undefined): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

/** Host without the brackets of an IPv6 address and a final dot. */
function bareHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

/** Refusal before any name lookup; lookups are not called for literal addresses. */
function refusalOf(host: string, port: number, allowed: AllowedHosts): Error | undefined {
  if (port < FIRST_FREE_PORT && port !== 80 && port !== 443 && !allowed.names(host, port)) {
    return new ForbiddenPort(`port ${port} is not one of web sites`);
  }
  if (isIP(host) && !allowed.admits(host, host, port)) {
    return new ForbiddenAddress(`${host} is not a public address`);
  }
  return undefined;
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | dns.LookupAddress[],
  family?: number,
) => void;

/** Lookup for `net.connect` that fails if any address of the name is forbidden. */
function guardedLookup(resolve: Resolve, admits: (address: string, host: string) => boolean) {
  return (host: string, options: dns.LookupOptions, callback: LookupCallback): void => {
    admittedAddresses(host, resolve, admits).then(
      ([first, ...others]) =>
        options.all ? callback(null, [first, ...others]) : callback(null, first.address, first.family),
      (error) => callback(error, []),
    );
  };
}

/** Addresses of a host. Throws `ForbiddenAddress` if any is not admitted or none exists. */
async function admittedAddresses(
  host: string,
  resolve: Resolve,
  admits: (address: string, host: string) => boolean,
): Promise<[dns.LookupAddress, ...dns.LookupAddress[]]> {
  const [first, ...others] = await resolve(host);
  const forbidden = [first, ...others].find((one) => one && !admits(one.address, host));
  if (forbidden || !first)
    throw new ForbiddenAddress(`${host} leads to ${forbidden?.address ?? 'no address'}`);
  return [first, ...others];
}

const NOT_AS_ENCODED = { reason: 'its content is not encoded as it says it is', service: true };

/** Reason of a failed request. `service`: the connection or the server failed. */
interface FetchReason {
  readonly reason: string;
  readonly service: boolean;
}

/** Prefix of every timeout reason. */
export const TIMED_OUT = 'timed out';

const byCode: Readonly<Record<string, FetchReason>> = {
  ENOTFOUND: { reason: 'unknown host', service: false },
  EAI_AGAIN: { reason: 'unknown host', service: false },
  UND_ERR_HEADERS_OVERFLOW: { reason: "its answer's headers are too large", service: true },
  HPE_HEADER_OVERFLOW: { reason: "its answer's headers are too large", service: true },
  UND_ERR_HEADERS_TIMEOUT: { reason: `${TIMED_OUT}: the server does not answer`, service: true },
  UND_ERR_BODY_TIMEOUT: { reason: `${TIMED_OUT}: the server stopped sending`, service: true },
  UND_ERR_CONNECT_TIMEOUT: { reason: `${TIMED_OUT}: the server can not be reached`, service: true },
  CERT_HAS_EXPIRED: { reason: 'its TLS certificate is not valid', service: true },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: 'its TLS certificate is not valid', service: true },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: 'its TLS certificate is not valid', service: true },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { reason: 'its TLS certificate is not valid', service: true },
  ERR_TLS_CERT_ALTNAME_INVALID: { reason: 'its TLS certificate is not valid', service: true },
};

/** Message without addresses and ports, equal on every machine. */
export function reasonOf(error: Error): FetchReason {
  if (error instanceof ForbiddenAddress) return { reason: 'its host has no public address', service: false };
  if (error instanceof ForbiddenPort) return { reason: 'its port is not one of web sites', service: false };
  if (error.name === 'TimeoutError') return { reason: TIMED_OUT, service: true };
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (/^(?:Z_|ERR_BROTLI|ERR__ERROR|ZSTD_|ERR_ZLIB)/.test(code)) return NOT_AS_ENCODED;
  return Object.hasOwn(byCode, code) ? byCode[code]! : { reason: 'connection failed', service: true };
}
