import { BlockList, isIP } from 'node:net';
import type { AllowedHost } from '../../schemas/config/tools/allowedHost.ts';

/** Allowed addresses besides the public internet. */
export interface AllowedHosts {
  /** True if the list contains this host with this port. */
  names(host: string, port: number): boolean;
  /** True if a connection to this host and port may use the address. */
  admits(address: string, host: string, port: number): boolean;
}

/**
 * Configured exceptions. They allow only loopback and private addresses: link-local ones, metadata services with a
 * cloud machine's keys, multicast and reserved space stay forbidden.
 */
export function createAllowedHosts(entries: readonly AllowedHost[]): AllowedHosts {
  const hosts = new Set<string>();
  const networks = new BlockList();
  for (const entry of entries) {
    if (entry.kind === 'host') hosts.add(`${entry.host} ${entry.port}`);
    else networks.addSubnet(entry.network, entry.prefix, familyOf(entry.network));
  }
  const names = (host: string, port: number) => hosts.has(`${host} ${port}`);
  return {
    names,
    admits(address, host, port) {
      const kind = addressKind(address);
      if (kind === 'public' || kind === 'forbidden') return kind === 'public';
      return names(host, port) || networks.check(address, familyOf(address));
    },
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/**
 * Network of an address: the public internet, this machine, a private network (RFC 1918, unique local addresses and
 * carrier-grade NAT), or a range without pages.
 */
type AddressKind = 'public' | 'loopback' | 'private' | 'forbidden';

/** Cloud metadata services that give out keys and are not link-local: Alibaba, Azure, AWS, Google. */
const metadata = blockList('100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::254/128', 'fd20:ce::254/128');
const loopback = blockList('127.0.0.0/8', '::1/128');
const privateNetworks = blockList(
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
);

/**
 * Other host blocks of IANA's special-purpose registries: this network, link-local, protocol assignments with Teredo,
 * documentation, 6to4 and its relays, benchmarking, multicast, reserved, broadcast.
 */
const special = blockList(
  ...['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
);

/** IPv6 space assigned to hosts. Ranges that embed an IPv4 address (mapped, compatible, NAT64) are outside. */
const globalIpv6 = blockList('2000::/3');
const mappedIpv4 = blockList('::ffff:0:0/96');

/** Kind of an address in standard notation; `forbidden` with a zone or for other text. */
export function addressKind(address: string): AddressKind {
  if (isIP(address) === 0 || address.includes('%')) return 'forbidden';
  const family = familyOf(address);
  // `BlockList` treats ::ffff:127.0.0.1 as 127.0.0.1; no site uses mapped addresses, so no list allows them.
  if (family === 'ipv6' && mappedIpv4.check(address, family)) return 'forbidden';
  if (metadata.check(address, family) || special.check(address, family)) return 'forbidden';
  if (loopback.check(address, family)) return 'loopback';
  if (privateNetworks.check(address, family)) return 'private';
  return family === 'ipv4' || globalIpv6.check(address, family) ? 'public' : 'forbidden';
}

function blockList(...blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/');
    list.addSubnet(network, Number(prefix), familyOf(network));
  }
  return list;
}
