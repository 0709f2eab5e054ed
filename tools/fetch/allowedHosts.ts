import { BlockList, isIP } from 'node:net';
import type { AllowedHost } from '../../schemas/config/tools/allowedHost.ts';

/** Which addresses beside those of the open internet may be connected to. */
export interface AllowedHosts {
  /** True when the list names this host with this port. */
  names(host: string, port: number): boolean;
  /** True for an address that a connection to this host and port may go to. */
  admits(address: string, host: string, port: number): boolean;
}

/**
 * The exceptions of a configuration. They let loopback and private addresses through and no others: link-local ones,
 * the services that give out a cloud machine's keys, multicast and reserved space stay forbidden whatever is allowed.
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
 * Where an address leads: the open internet, this machine, a private network (RFC 1918, unique local addresses and
 * carrier-grade NAT), or somewhere that pages never are.
 */
type AddressKind = 'public' | 'loopback' | 'private' | 'forbidden';

/** Services of cloud machines that give out keys, where they are not link-local: Alibaba, Azure, AWS, Google. */
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
 * The other blocks of IANA's special-purpose registries that lie among the addresses of hosts: this network, link-local,
 * protocol assignments with Teredo, documentation, 6to4 and its relays, benchmarking, multicast, reserved, broadcast.
 */
const special = blockList(
  ...['0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
);

/** All of IPv6 that is handed out to hosts. What embeds an IPv4 address (mapped, compatible, NAT64) lies outside. */
const globalIpv6 = blockList('2000::/3');
const mappedIpv4 = blockList('::ffff:0:0/96');

/** The kind of an address in its usual notation; one with a zone, or not an address at all, is `forbidden`. */
export function addressKind(address: string): AddressKind {
  if (isIP(address) === 0 || address.includes('%')) return 'forbidden';
  const family = familyOf(address);
  // For `BlockList`, ::ffff:127.0.0.1 is 127.0.0.1; no site is reached that way, so no list lets it through.
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
