import { type Attack, python } from './attack.ts';

/** Programs that reach or see the host's network, which here is sockets of the test. */
export const network: readonly Attack[] = [
  {
    name: 'connects to the loopback',
    program: python`if socket.create_connection(('127.0.0.1', TARGETS['tcpPort']), 2): succeeded()`,
  },
  {
    name: 'connects to the loopback by IPv6',
    program: python`if socket.create_connection(('::1', TARGETS['tcp6Port']), 2): succeeded()`,
  },
  {
    name: 'connects to the address 0.0.0.0',
    program: python`if socket.create_connection(('0.0.0.0', TARGETS['tcpPort']), 2): succeeded()`,
  },
  {
    name: 'exchanges datagrams',
    program: python`
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.settimeout(1)
link.sendto(b'hello', ('127.0.0.1', TARGETS['udpPort']))
if link.recv(100): succeeded()`,
  },
  {
    name: 'asks for a name',
    program: python`
query = struct.pack('>6H', 7, 0x100, 1, 0, 0, 0) + b'\x06secret\x04test\x00' + struct.pack('>2H', 1, 1)
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.settimeout(1)
link.sendto(query, ('127.0.0.1', TARGETS['dnsPort']))
if link.recv(512)[-4:] == bytes([127, 0, 0, 1]): succeeded()`,
  },
  {
    name: 'connects to a unix socket',
    program: python`
socket.socket(socket.AF_UNIX).connect(TARGETS['socketFile'])
succeeded()`,
  },
  {
    name: 'connects to an abstract unix socket',
    program: python`
socket.socket(socket.AF_UNIX).connect('\0' + TARGETS['socketName'])
succeeded()`,
  },
  {
    name: 'sees our sockets in /proc/net',
    program: python`if f":{TARGETS['tcpPort']:04X} " in open('/proc/net/tcp').read(): succeeded()`,
  },
  {
    name: 'sees our unix sockets in /proc/net',
    program: python`if TARGETS['socketName'] in open('/proc/net/unix').read(): succeeded()`,
  },
  {
    name: 'sees our sockets by netlink',
    program: python`
AF_NETLINK, NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, DUMP = 16, 4, 20, 0x301
link = socket.socket(AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG)
link.settimeout(2)
listening = struct.pack('BBBBI', socket.AF_INET, socket.IPPROTO_TCP, 0, 0, 1 << 10) + bytes(48)
link.send(struct.pack('IHHII', 16 + len(listening), SOCK_DIAG_BY_FAMILY, DUMP, 1, 0) + listening)
found, done = b'', False
while not done:
    found += link.recv(1 << 16)
    done = struct.pack('H', 3) == found[-16:-14] or len(found) < 21 or found[-20 + 4:-20 + 6] == struct.pack('H', 3)
if struct.pack('>H', TARGETS['tcpPort']) in found: succeeded()`,
  },
  {
    name: 'is in our network',
    program: python`
SO_NETNS_COOKIE = 71
cookie = socket.socket().getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8)
if str(struct.unpack('Q', cookie)[0]) == TARGETS['netnsCookie']: succeeded()`,
  },
  {
    name: 'opens a raw socket',
    needsRoot: true,
    program: python`if socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP): succeeded()`,
  },
  {
    name: 'listens to packets',
    needsRoot: true,
    program: python`if socket.socket(socket.AF_PACKET, socket.SOCK_RAW): succeeded()`,
  },
  {
    // Sockets to the hypervisor belong to no network namespace.
    name: 'opens a socket of a rare family',
    needsRoot: true,
    program: python`
VSOCK, ALG, PACKET, BLUETOOTH, CAN, RDS, TIPC, QIPCRTR, XDP, SMC = 40, 38, 17, 31, 29, 21, 30, 42, 44, 43
kinds = [socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET]
families = [VSOCK, ALG, PACKET, BLUETOOTH, CAN, RDS, TIPC, QIPCRTR, XDP, SMC]
try_all([lambda family=family, kind=kind: socket.socket(family, kind) for family in families for kind in kinds])`,
  },
];
