import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { startHttpServer } from '../../../tools/support/startHttpServer.ts';

/** A file of a repository on the hub: large ones are known by their SHA-256, others by Git's own hash. */
export interface StoredFile {
  readonly content: Buffer;
  readonly isLarge?: boolean;
}

/** How a hub answers a request for a file's content; undefined for as it should. */
export type Misbehaviour = (path: string, from: number, res: ServerResponse, bytes: Buffer) => boolean;

/** A server that speaks the parts of the hub's API that fetching and pushing need, with one more for large files. */
export interface TestHub {
  readonly url: string;
  readonly commit: string;
  /** What each request said: method, path, range, whether it had the token, and to which server. */
  readonly requests: {
    method: string;
    path: string;
    range?: string;
    token: string | undefined;
    isStorage: boolean;
  }[];
  /** Repositories by `datasets/OWNER/NAME`, with what was committed to them. */
  readonly repositories: Map<string, Map<string, StoredFile>>;
  misbehave: Misbehaviour;
  /** Size that it lists for large files, if not their own. */
  listedBytes: number | undefined;
}

export const hubToken = 'hf_testTokenOfTheLocalHub';

export function gitHash(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Starts it; it ends with the test. */
export async function startHub(
  repositories: Record<string, Record<string, StoredFile>>,
  { isPrivate = false }: { readonly isPrivate?: boolean } = {},
): Promise<TestHub> {
  const commit = 'c0ffee'.padEnd(40, '1');
  const hub: TestHub = {
    url: '',
    commit,
    requests: [],
    repositories: new Map(
      Object.entries(repositories).map(([name, files]) => [name, new Map(Object.entries(files))]),
    ),
    misbehave: () => false,
    listedBytes: undefined,
  };
  const uploads = new Map<string, Buffer>();
  const { baseUrl: storage } = await startHttpServer((req, res) => serveStorage(hub, uploads, req, res));
  const around = { storage, isPrivate, uploads };
  const { baseUrl: url } = await startHttpServer((req, res) => serveHub(hub, around, req, res));
  return Object.assign(hub, { url });
}

function note(hub: TestHub, req: IncomingMessage, isStorage: boolean): void {
  const { range, authorization } = req.headers;
  hub.requests.push({
    method: req.method!,
    path: req.url!,
    ...(range !== undefined && { range }),
    token: authorization?.replace('Bearer ', ''),
    isStorage,
  });
}

/** What the hub's answers need besides its repositories. */
interface Surroundings {
  readonly storage: string;
  readonly isPrivate: boolean;
  readonly uploads: Map<string, Buffer>;
}

async function serveHub(
  hub: TestHub,
  around: Surroundings,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  note(hub, req, false);
  const json = (value: unknown, status = 200) => {
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  if (around.isPrivate && req.headers.authorization !== `Bearer ${hubToken}`)
    return json({ error: 'Invalid username or password.' }, 401);
  const url = new URL(req.url!, 'http://hub');
  const created = url.pathname === '/api/repos/create';
  if (created) {
    const { organization, name, type } = JSON.parse(await text(req)) as Record<string, string>;
    const key = `${type}s/${organization}/${name}`;
    if (hub.repositories.has(key)) return json({ error: 'You already created this dataset repo' }, 409);
    hub.repositories.set(key, new Map());
    return json({ url: `${hub.url}/${key}` });
  }
  const api = /^\/api\/((?:datasets|models)\/[^/]+\/[^/]+)\/(revision|tree|preupload|commit)\/([^/]+)$/.exec(
    url.pathname,
  );
  const lfs = /^\/(?:(datasets)\/)?([^/]+\/[^/]+)\.git\/info\/lfs\/objects\/batch$/.exec(url.pathname);
  const key = api?.[1] ?? (lfs ? `${lfs[1] ?? 'models'}/${lfs[2]}` : keyOfFile(url.pathname));
  const files = hub.repositories.get(key ?? '');
  if (!files) return json({ error: 'Repository not found' }, 404);
  if (lfs) return json(lfsBatch(JSON.parse(await text(req)), around));
  if (api?.[2] === 'revision') {
    const known = ['main', hub.commit, 'refs/convert/parquet'].includes(decodeURIComponent(api[3]!));
    return known
      ? json({
          id: key,
          sha: hub.commit,
          private: false,
          downloads: 0,
          likes: 0,
          lastModified: '2026-01-01T00:00:00Z',
        })
      : json({ error: 'Invalid rev id' }, 404);
  }
  if (api?.[2] === 'tree') return json(treeOf(files, hub.listedBytes));
  if (api?.[2] === 'preupload') return json(preupload(JSON.parse(await text(req))));
  if (api?.[2] === 'commit') return json(commitFiles(await text(req), files, hub, around));
  return serveFile(
    hub,
    around,
    decodeURIComponent(url.pathname.split(`/resolve/${hub.commit}/`)[1] ?? ''),
    files,
    req,
    res,
  );
}

function keyOfFile(pathname: string): string {
  const [, dataset, name] = /^\/(datasets\/)?([^/]+\/[^/]+)\/resolve\//.exec(pathname) ?? [];
  return `${dataset ?? 'models/'}${name}`;
}

function treeOf(files: Map<string, StoredFile>, listedBytes: number | undefined): object[] {
  const folders = new Set(
    [...files.keys()]
      .filter((path) => path.includes('/'))
      .map((path) => path.slice(0, path.lastIndexOf('/'))),
  );
  return [
    ...[...folders].map((path) => ({ type: 'directory', path, oid: '0'.repeat(40), size: 0 })),
    ...[...files].map(([path, { content, isLarge }]) => ({
      type: 'file',
      path,
      size: content.length,
      oid: gitHash(content),
      ...(isLarge && {
        lfs: { oid: sha256(content), size: listedBytes ?? content.length, pointerSize: 134 },
      }),
    })),
  ];
}

function serveFile(
  hub: TestHub,
  { storage }: Surroundings,
  path: string,
  files: Map<string, StoredFile>,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const file = files.get(path);
  if (!file) return void res.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
  if (file.isLarge) {
    const headers = {
      location: `${storage}/${sha256(file.content)}?signed=1`,
      'x-linked-etag': `"${sha256(file.content)}"`,
    };
    return void res.writeHead(302, headers).end();
  }
  sendBytes(hub, path, file.content, req, res);
}

async function serveStorage(
  hub: TestHub,
  uploads: Map<string, Buffer>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  note(hub, req, true);
  const hash = req.url!.slice(1, 65);
  if (req.method === 'PUT') {
    uploads.set(hash, await buffer(req));
    return void res.writeHead(200).end();
  }
  for (const files of hub.repositories.values()) {
    for (const [path, { content }] of files)
      if (sha256(content) === hash) return sendBytes(hub, path, content, req, res);
  }
  res.writeHead(404).end();
}

function sendBytes(
  hub: TestHub,
  path: string,
  content: Buffer,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(req.headers.range ?? '') ?? [];
  const end = Math.min(to === '' ? content.length : Number(to) + 1, content.length);
  const bytes = content.subarray(Number(from), end);
  const isRange = req.headers.range !== undefined;
  res.setHeader('etag', `"${gitHash(content)}"`);
  if (isRange) res.setHeader('content-range', `bytes ${from}-${end - 1}/${content.length}`);
  // The first byte alone is asked for to learn the size.
  if (bytes.length > 1 && hub.misbehave(path, Number(from), res, bytes)) return;
  res.writeHead(isRange ? 206 : 200, { 'content-length': bytes.length }).end(bytes);
}

function preupload({ files }: { files: { path: string; size: number }[] }): object {
  return { files: files.map(({ path, size }) => ({ path, uploadMode: size > 1_000 ? 'lfs' : 'regular' })) };
}

function lfsBatch(
  { objects }: { objects: { oid: string; size: number }[] },
  { storage }: Surroundings,
): object {
  return {
    transfer: 'basic',
    objects: objects.map((object) => ({
      ...object,
      actions: { upload: { href: `${storage}/${object.oid}` } },
    })),
  };
}

function commitFiles(
  body: string,
  files: Map<string, StoredFile>,
  hub: TestHub,
  { uploads }: Surroundings,
): object {
  for (const line of body.split('\n').filter(Boolean)) {
    const { key, value } = JSON.parse(line) as { key: string; value: Record<string, string> };
    if (key === 'file') files.set(value.path!, { content: Buffer.from(value.content!, 'base64') });
    if (key === 'lfsFile') files.set(value.path!, { content: uploads.get(value.oid!)!, isLarge: true });
  }
  return {
    success: true,
    commitOid: hub.commit,
    commitUrl: `${hub.url}/commit/${hub.commit}`,
    hookOutput: '',
  };
}
