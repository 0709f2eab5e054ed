import dns from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { isPublicAddress } from './isPublicAddress.ts';

/** Where the pages of a host really are: a server of our own on the loopback. */
export interface HostOverride {
  readonly address: string;
  readonly port: number;
}

/** A connection that is not made, because it would lead into this machine or its networks. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Finds all addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly dns.LookupAddress[]>;

const resolveByDns: Resolve = (host) => dns.promises.lookup(host, { all: true });

/**
 * The dispatcher of all crawling. A connection to a host goes to an address that was looked up and checked for that
 * very connection, so an answer of the name service that changes meanwhile is of no use; one forbidden address among
 * several is enough to refuse. Only the hosts of `overrides` lead to the loopback, on their default port.
 */
export function createGuardedDispatcher(
  overrides: ReadonlyMap<string, HostOverride>,
  resolve: Resolve = resolveByDns,
): Dispatcher {
  const connect = buildConnector({ lookup: guardedLookup(resolve) });
  return new Agent({
    connect: (options, callback) => {
      const own = overrides.get(options.hostname);
      if (own && !options.port) {
        const { address: hostname, port } = own;
        return connect({ protocol: 'http:', hostname, port: String(port) }, callback);
      }
      const literal = options.hostname.replace(/^\[|\]$/g, '');
      // The lookup is not called for literal addresses.
      if (isIP(literal) && !isPublicAddress(literal)) {
        return callback(new ForbiddenAddress(`${literal} is not a public address`), null);
      }
      return connect(options, callback);
    },
  });
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | dns.LookupAddress[],
  family?: number,
) => void;

/** A lookup for `net.connect` that fails when any address of the name is forbidden. */
function guardedLookup(resolve: Resolve) {
  return (host: string, options: dns.LookupOptions, callback: LookupCallback): void => {
    resolve(host).then(
      (addresses) => {
        const forbidden = addresses.find(({ address }) => !isPublicAddress(address));
        const [first] = addresses;
        if (forbidden || !first) {
          callback(new ForbiddenAddress(`${host} leads to ${forbidden?.address ?? 'no address'}`), []);
        } else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}
