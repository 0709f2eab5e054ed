import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the servers' process took so far. */
export interface ToolServersFigures {
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** What is alive in the heap, after a collection. */
  readonly heapBytes: number;
}

/** Running servers of the bundled atlas. */
export interface ToolServers {
  /** Addresses of the endpoints. */
  readonly urls: Readonly<Record<'web_search' | 'crawl_page' | 'wiki_search', string>>;
  figures(): Promise<ToolServersFigures>;
  close(): Promise<void>;
}

/** Starts the servers of the bundled atlas as a process of their own. */
export async function startToolServers(): Promise<ToolServers> {
  const child = fork(fileURLToPath(new URL('toolServers.ts', import.meta.url)), [], {
    execArgv: ['--expose-gc'],
  });
  const ended = once(child, 'exit');
  const [urls] = (await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error('the servers ended before they served');
    }),
  ])) as [ToolServers['urls']];
  return {
    urls,
    async figures() {
      child.send('figures');
      const [figures] = (await once(child, 'message')) as [ToolServersFigures];
      return figures;
    },
    async close() {
      child.disconnect();
      await ended;
    },
  };
}
