import { expect, test } from 'vitest';
import { atlasRequests } from '../../../bench/support/atlasRequests.ts';
import { LoadClients } from '../../../bench/support/httpLoad.ts';
import { startToolServers } from '../../../bench/support/startToolServers.ts';

test('200 clients at once get right answers only, from all servers', async () => {
  const servers = await startToolServers();
  const clients = new LoadClients(200);
  try {
    const names = ['web_search', 'wiki_search', 'crawl_page'] as const;
    const figures = await clients.load(3_000, (n) => {
      const name = names[n % names.length]!;
      return atlasRequests[name](servers.urls[name], n);
    });
    expect(figures.problems).toEqual([]);
    expect(figures.errors).toBe(0);
    expect(figures.requests).toBeGreaterThanOrEqual(200);
  } finally {
    await clients.close();
    await servers.close();
  }
});
