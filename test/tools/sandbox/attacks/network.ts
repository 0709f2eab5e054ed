import { asRoot, attackTable, python } from './attack.ts';

/** Programs that reach or see the host's network, which here is sockets of the test. */
export const network = attackTable({
  'connects to the loopback': python`if socket.create_connection(('127.0.0.1', TARGETS['tcpPort']), 2): succeeded()`,
  'exchanges datagrams': python`
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.settimeout(1)
link.sendto(b'hello', ('127.0.0.1', TARGETS['udpPort']))
if link.recv(100): succeeded()`,
  'asks for a name': python`
query = struct.pack('>6H', 7, 0x100, 1, 0, 0, 0) + b'\x06secret\x04test\x00' + struct.pack('>2H', 1, 1)
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.settimeout(1)
link.sendto(query, ('127.0.0.1', TARGETS['dnsPort']))
if link.recv(512)[-4:] == bytes([127, 0, 0, 1]): succeeded()`,
  'connects to a unix socket': python`
socket.socket(socket.AF_UNIX).connect(TARGETS['socketFile'])
succeeded()`,
  'connects to an abstract unix socket': python`
socket.socket(socket.AF_UNIX).connect('\0' + TARGETS['socketName'])
succeeded()`,
  'sees our sockets in /proc/net': python`if f":{TARGETS['tcpPort']:04X} " in open('/proc/net/tcp').read(): succeeded()`,
  'is in our network': python`
SO_NETNS_COOKIE = 71
cookie = socket.socket().getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8)
if str(struct.unpack('Q', cookie)[0]) == TARGETS['netnsCookie']: succeeded()`,
  'opens a raw socket': asRoot(
    python`if socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP): succeeded()`,
  ),
});
