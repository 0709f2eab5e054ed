import { isIP } from 'node:net';
import { plainText } from '../keyMeaning.ts';

/** Exception from the rule that pages are on the public internet. */
export type AllowedHost =
  | { readonly kind: 'host'; readonly host: string; readonly port: number }
  | { readonly kind: 'network'; readonly network: string; readonly prefix: number };

const hostAndPort = /^(\[[\da-f:.]+\]|[a-z\d](?:[a-z\d.-]*[a-z\d])?):(\d{1,5})$/;

/**
 * Parses `wiki.intranet:8080`, `127.0.0.1:8080`, `[::1]:8080` or `10.20.0.0/16`; undefined for other text. Hosts are
 * normalised like in URLs, without brackets.
 */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  return parseNetwork(text) ?? parseHost(text.toLowerCase());
}

function parseNetwork(text: string): AllowedHost | undefined {
  const [network = '', length = '', ...rest] = text.split('/');
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(network)]!;
  if (rest.length > 0 || network.includes('%') || !/^\d{1,3}$/.test(length) || Number(length) > longest)
    return undefined;
  return { kind: 'network', network, prefix: Number(length) };
}

function parseHost(text: string): AllowedHost | undefined {
  const [, host = '', port = ''] = hostAndPort.exec(text) ?? [];
  const bare = withoutBrackets(host);
  if (Number(port) < 1 || Number(port) > 65_535 || (host !== bare && isIP(bare) !== 6)) return undefined;
  // URLs normalise the many notations of addresses.
  const url = URL.parse(`http://${host}`);
  return url ? { kind: 'host', host: withoutBrackets(url.hostname), port: Number(port) } : undefined;
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

/** An entry of `allow_hosts` as written. */
export const allowedHostSchema = plainText.refine(
  (text) => parseAllowedHost(text) !== undefined,
  'a host with its port such as "wiki.intranet:8080", or a network such as "10.20.0.0/16"',
);
