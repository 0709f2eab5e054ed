import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createViewerApp } from '../../../viewer/server/createViewerApp.ts';
import { createGuard } from '../../../viewer/server/guard.ts';
import { Sources } from '../../../viewer/server/sources.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

export const PORT = 4321;
const HOST = `127.0.0.1:${PORT}`;

/** A viewer of what is given, asked without a network. */
export async function askViewer(given: string) {
  const pages = temporaryFolder();
  writeFileSync(join(pages, 'index.html'), 'the page');
  writeFileSync(join(pages, 'files.json'), '["index.html"]');
  writeFileSync(join(pages, 'secret.txt'), 'not in the list');
  const sources = await Sources.find([given]);
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    await sources.close();
  });
  const guard = createGuard(() => PORT);
  const app = createViewerApp({ guard, sources, pages, signal: stop.signal });
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    app.request(`http://${HOST}${path}`, { method, headers: { host: HOST, ...headers } });
  const enter = async (): Promise<string> => {
    const response = await ask(`/?token=${guard.issueToken()}`);
    return response.headers.get('set-cookie')!;
  };
  /** An answer of the viewer to the browser that it let in. */
  const get = async (path: string) => {
    const response = await ask(path, { cookie: (await enter()).split(';')[0]! });
    return { status: response.status, body: await response.json() };
  };
  return { ask, enter, get, guard };
}
