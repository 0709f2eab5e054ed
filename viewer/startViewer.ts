import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import {
  hasTwoHosts,
  LOOPBACK,
  RECEIVE_TIMEOUT_MS,
  receiveLimits,
  startListening,
  stopListening,
} from '../contract/serverRules.ts';
import { createViewerApp } from './server/createViewerApp.ts';
import { createGuard } from './server/guard.ts';
import { builtPages } from './server/pageFiles.ts';
import { Sources } from './server/sources.ts';

interface ViewerOptions {
  /** Runs by name or folder, and files of rows; empty: all runs under `runs/`. */
  readonly given: readonly string[];
  /** 0: any free port. */
  readonly port: number;
  readonly author?: string | undefined;
}

interface Viewer {
  readonly port: number;
  /** New single-use address. */
  address(): string;
  close(): Promise<void>;
}

/**
 * Serves the pages of runs and files on the loopback interface. Read-only except for reviews.
 *
 * @throws UserError for an unknown source, and for a port that is taken
 */
export async function startViewer({ given, port, author }: ViewerOptions): Promise<Viewer> {
  const sources = await Sources.find(given);
  const pages = await builtPages();
  const stopping = new AbortController();
  let bound = 0;
  const guard = createGuard(() => bound, { takesPosts: author !== undefined });
  const app = createViewerApp({ guard, sources, pages, signal: stopping.signal, author });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: 'localhost' });
  const server = createServer(receiveLimits(RECEIVE_TIMEOUT_MS), (request, response) => {
    if (hasTwoHosts(request))
      response.writeHead(400, { connection: 'close' }).end('expected one Host header');
    else void listener(request, response);
  });
  const refusal = (why: string) =>
    `port ${port} can't be had: ${why}; choose another with --port, or leave it out`;
  bound = (await startListening(server, { port }, refusal)).port;
  return {
    port: bound,
    address: () => `http://${LOOPBACK}:${bound}${firstPath(sources)}?token=${guard.issueToken()}`,
    close: async () => {
      stopping.abort();
      await stopListening(server);
      await sources.close();
    },
  };
}

/** Opens the only named source directly. */
function firstPath({ opened }: Sources): string {
  const [only, ...others] = opened;
  if (!only || others.length > 0) return '/';
  const path = `/${folders[only.kind]}/${encodeURIComponent(only.name)}`;
  return only.kind === 'files' ? `${path}/rows` : path;
}

const folders = { run: 'runs', files: 'files', evaluation: 'evaluations' } as const;
