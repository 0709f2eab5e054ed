import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { openSiteSearch } from '../../../tools/site/openSiteSearch.ts';
import { startHttpServer } from '../../tools/support/startHttpServer.ts';

/** A search service in Serper's shape over a folder of pages, closed with the test. */
export async function startSearch(
  folder: string,
  /** The only key that is taken. */
  key: string,
  /** A status instead of results, by how many requests came before. */
  faultOf: (before: number) => number | undefined = () => undefined,
) {
  const site = await openSiteSearch({ folder, host: 'atlas.example' }, () => {});
  let asked = 0;
  const server = await startHttpServer(async (request, response) => {
    const send = (status: number, body: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const fault = request.headers['x-api-key'] === key ? faultOf(asked++) : 401;
    if (fault !== undefined) return send(fault, { message: `fault ${fault}` });
    send(200, { organic: site.search((await json(request)) as { q: string; num: number }) });
  });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await server.close();
    site.close();
  };
  onTestFinished(close);
  return { baseUrl: server.baseUrl, asked: () => asked, close };
}
