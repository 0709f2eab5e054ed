import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SharedDatabase } from '../../pipeline/workers/database/sharedDatabase.ts';
import { createProject } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { freePorts } from '../support/freePorts.ts';
import { startPostgres } from '../support/startPostgres.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startHttpServer } from '../tools/support/startHttpServer.ts';

/** A certificate that is its own root. */
function selfSigned(host: string): { certFile: string; keyFile: string } {
  const folder = temporaryFolder();
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const named = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  execFileSync('openssl', ['req', ...made, ...named, '-keyout', keyFile, '-out', certFile], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { certFile, keyFile };
}

async function startServer(certificate?: ReturnType<typeof selfSigned>) {
  const [port] = (await freePorts(1)) as [number];
  const server = startPostgres({ port, ...(certificate && { certificate }) });
  onTestFinished(() => server.stop());
  return `postgres://coa@localhost:${port}/postgres`;
}

const verified = (url: string, root: string) =>
  `${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(root)}`;

test('a database is reached by TLS with its root, and not at all with another one or in the plain', async () => {
  const [own, other] = [selfSigned('localhost'), selfSigned('localhost')];
  const encrypted = await startServer(own);
  const database = await SharedDatabase.open(verified(encrypted, own.certFile), () => {});
  onTestFinished(() => database.close());
  expect(await database.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual([
    { ssl: true },
  ]);
  const calls: string[] = [];
  const teacher = await startHttpServer((request, response) => {
    calls.push(request.url ?? '');
    response.end();
  });
  onTestFinished(() => teacher.close());
  const endpoint = { base_url: `${teacher.baseUrl}/v1`, api_key_env: '' };
  const cwd = createProject({ teacher: JSON.stringify({ model: { model: 'm', endpoint } }) });
  const refused = async (why: RegExp, command: readonly string[]) => {
    const { code, stderr } = await runCli(command, { cwd });
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(why);
  };
  const wrongRoot = verified(encrypted, other.certFile);
  const untrusted = /localhost:\d+\/postgres: the database can't be used: self-signed certificate/;
  for (const command of [
    ['run', '--workers'],
    ['workers', 'join'],
    ['workers', 'status'],
  ])
    await refused(untrusted, [...command, wrongRoot]);
  const named = selfSigned('db.example');
  const misnamed = verified(await startServer(named), named.certFile);
  await refused(/can't be used: .*localhost.* is not in the cert's altnames/, ['run', '--workers', misnamed]);
  const plain = verified(await startServer(), own.certFile);
  await refused(/can't be used: The server does not support SSL/, ['run', '--workers', plain]);
  expect(calls).toEqual([]);
}, 300_000);
