import { BlockList, isIP } from 'node:net';
import type { AllowedHost } from '../../schemas/config/tools/allowedHost.ts';
import { addressKind } from './addressKind.ts';

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
