import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, copyFileSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A PostgreSQL server of a test. */
export interface Postgres {
  /** The address of its database: on the network where it lets everybody in there, else a socket in its own folder. */
  readonly url: string;
  /** That socket. */
  readonly socket: string;
  /** Ends all its processes at once and starts it again, as after a crash. */
  restartAtOnce(): void;
  stop(): void;
}

/** A server that listens on the network, too. */
interface OnNetwork {
  readonly port: number;
  /** Everybody who reaches it there is let in; absent: the loopback. */
  readonly host?: string;
  /** Files of its certificate and the key of that; absent: connections are plain. */
  readonly certificate?: { readonly certFile: string; readonly keyFile: string };
}

/** Starts a PostgreSQL server of its own. Throws where none is installed. */
export function startPostgres(network?: OnNetwork): Postgres {
  const bin = postgresFolder();
  const folder = mkdtempSync(join(tmpdir(), 'coa-postgres-'));
  const data = join(folder, 'data');
  const asUser = (program: string, ...args: string[]) => {
    const [command, ...rest] = [...notAsRoot(), join(bin, program), ...args];
    execFileSync(command!, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder });
  };
  if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
  asUser('initdb', '-D', data, '-U', 'coa', '--auth=trust', '--no-sync', '--locale=C', '--encoding=UTF8');
  if (network?.host) appendFileSync(join(data, 'pg_hba.conf'), 'host all all 0.0.0.0/0 trust\n');
  const listening = network ? `${network.host ?? '127.0.0.1'} -c port=${network.port}` : '';
  const tls = network?.certificate ? tlsSettings(folder, network.certificate) : '';
  const settings = `-c listen_addresses=${listening} ${tls} -c unix_socket_directories=${folder} -c fsync=off -c shared_buffers=32MB`;
  const control = (...args: string[]) =>
    asUser('pg_ctl', '-D', data, '-w', '-l', join(folder, 'log'), '-o', settings, ...args);
  control('start');
  return {
    url: `postgres://coa@${network?.host ? `${network.host}:${network.port}` : encodeURIComponent(folder)}/postgres`,
    socket: join(folder, '.s.PGSQL.5432'),
    restartAtOnce: () => control('restart', '-m', 'immediate'),
    stop() {
      control('stop', '-m', 'immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const nobody = 65_534;

/** The server reads a key only where it is its own user's. */
function tlsSettings(folder: string, certificate: NonNullable<OnNetwork['certificate']>): string {
  const files = { ssl_cert_file: certificate.certFile, ssl_key_file: certificate.keyFile };
  const settings = Object.entries(files).map(([name, file]) => {
    const own = join(folder, name);
    copyFileSync(file, own);
    if (process.getuid?.() === 0) chownSync(own, nobody, nobody);
    return `-c ${name}=${own}`;
  });
  return ['-c ssl=on', ...settings].join(' ');
}

/** The server refuses to run as root. */
function notAsRoot(): string[] {
  if (process.getuid?.() !== 0) return [];
  return ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
}

/** Debian has the server's programs apart from those on the path. */
function postgresFolder(): string {
  const [found] = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/usr/bin', '/usr/local/bin']
    .flatMap((pattern) => globSync(pattern).sort().reverse())
    .filter((folder) => existsSync(join(folder, 'initdb')));
  if (found) return found;
  throw new Error(
    'PostgreSQL is missing: run bash scripts/setup-system.sh postgres, or apt-get install postgresql',
  );
}
