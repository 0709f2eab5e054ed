/** A way into this machine or its networks. */
export interface ForbiddenTarget {
  /** The URL that is asked for; `:0/` stands for the port of the listening server. */
  readonly url: string;
  /** False where no connection can be made to such an address, guard or none. */
  readonly connects: boolean;
}

/** Addresses as they may be written in a URL, by what they are. */
const hosts: Readonly<Record<string, string>> = {
  loopback: '127.0.0.1 127.0.0.2 127.8.8.8 127.255.255.254 localhost localhost. LOCALHOST 127.0.0.1.',
  'loopback in other notations':
    '2130706433 0x7f000001 017700000001 0177.0.0.1 0x7f.1 0x7f.0x0.0x0.0x1 127.1 127.0.1 ①②⑦.⓪.⓪.① 127。0。0。1 %31%32%37.0.0.1',
  'this network': '0 0.0.0.0 0x0',
  private:
    '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.0.1 192.168.255.254 167772161 0xc0a80001',
  'carrier-grade NAT': '100.64.0.1 100.127.255.254',
  metadata:
    '169.254.169.254 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192 [fd00:ec2::254] [fd20:ce::254]',
  'link-local': '169.254.0.1',
  'protocol assignments and documentation': '192.0.0.1 192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1',
  benchmarking: '198.18.0.1 198.19.255.254 [2001:2::1]',
  reserved: '240.0.0.1 255.255.255.254',
  'IPv6 loopback': '[::1] [0:0:0:0:0:0:0:1] [0000::0001] [::]',
  'IPv4 in IPv6':
    '[::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [::127.0.0.1] [::7f00:1] [64:ff9b::7f00:1] [64:ff9b::169.254.169.254] [64:ff9b:1::a00:1] [2002:7f00:1::] [2002:a9fe:a9fe::1] [2001:0:7f00:1::1]',
  'IPv6 of networks': '[fc00::1] [fd12:3456:789a::1] [fec0::1] [100::1] [5f00::1]',
  'IPv6 documentation': '[2001:db8::1] [3fff::1]',
};

/** To these not even a bare socket connects. */
const unconnectable = '224.0.0.1 239.255.255.250 255.255.255.255 [fe80::1] [ff02::1] [ff05::2]';

/** Names that the test's own name service leads to forbidden addresses. */
export const forbiddenNames: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'loopback.example': [['127.0.0.1']],
  'private.example': [['10.1.2.3']],
  'metadata.example': [['169.254.169.254']],
  'six.example': [['::1']],
  'unique-local.example': [['fd00::1']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'nat64.example': [['64:ff9b::7f00:1']],
  'several.example': [['93.184.216.34', '127.0.0.1']],
  'several-last.example': [['93.184.216.34', '93.184.216.35', '93.184.216.36', '10.0.0.1']],
  'both-families.example': [['93.184.216.34', '::1']],
  // The first look-up is of use to who checks and then looks up again.
  'rebinding.example': [['93.184.216.34'], ['127.0.0.1']],
  'rebinding-six.example': [['2606:2800:220:1::1'], ['::1']],
};

/** A public name, whose address the listening server has too. */
export const publicNames: typeof forbiddenNames = {
  'public.example': [['93.184.216.34']],
  'other.example': [['93.184.216.35']],
};

/** Where redirects lead that begin at `http://public.example`. */
const redirects = [
  'http://127.0.0.1:0/',
  'http://2130706433:0/',
  'http://[::1]:0/',
  'http://[::ffff:127.0.0.1]:0/',
  'http://169.254.169.254:0/latest/meta-data/',
  'http://loopback.example:0/',
  'http://several.example:0/',
  '//127.0.0.1:0/',
  'http:\\\\127.0.0.1:0/',
  'http://127.0.0.1:0#@public.example/',
  ' \thttp://127.0.0.1:0/',
];

const by = (status: number, ...locations: readonly string[]): string =>
  `http://public.example:0/${status}/${locations.map(encodeURIComponent).join('/')}`;

/** Every way in: literal addresses, names, and redirects of every status, in chains and by other hosts. */
export const forbiddenTargets: readonly ForbiddenTarget[] = [
  ...Object.values(hosts)
    .flatMap((written) => written.split(' '))
    .map((host) => ({ url: `http://${host}:0/`, connects: true })),
  ...unconnectable.split(' ').map((host) => ({ url: `http://${host}:0/`, connects: false })),
  ...Object.keys(forbiddenNames).map((name) => ({ url: `http://${name}:0/`, connects: true })),
  ...redirects.map((location) => ({ url: by(302, location), connects: true })),
  ...[301, 303, 307, 308].map((status) => ({ url: by(status, 'http://127.0.0.1:0/'), connects: true })),
  // `fetch` itself follows no redirect with a user in it.
  { url: by(302, 'http://public.example@127.0.0.1:0/'), connects: false },
  { url: by(302, 'http://other.example:0/', 'http://127.0.0.1:0/'), connects: true },
  {
    url: by(302, '/', 'http://other.example:0/', 'http://public.example:0/', 'http://10.0.0.1:0/'),
    connects: true,
  },
  { url: by(302, 'http://rebinding.example:0/', 'http://rebinding.example:0/'), connects: true },
];
