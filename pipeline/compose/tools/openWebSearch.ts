import { searchKeyOf } from '../../config/endpoints.ts';
import type { Tool } from '../../contract/tool.ts';
import type { OpenedSite } from './openSite.ts';
import type { OpenToolsOptions } from './openToolsOptions.ts';

/** Opens the `web_search` tool where it is wanted and configured. */
export async function openWebSearch(
  { config, wanted, env, offline }: OpenToolsOptions,
  openSite: () => Promise<OpenedSite>,
): Promise<Tool | undefined> {
  const search = config.tools.web_search;
  if (!search || !wanted.has('web_search')) return undefined;
  const { createWebSearchTool } = await import('../../../tools/webSearch/createWebSearchTool.ts');
  const apiKey = offline ? undefined : searchKeyOf(search, env);
  const site = await openSite();
  return createWebSearchTool({
    baseUrl: search.base_url ?? site?.server.baseUrl ?? '',
    ...(apiKey && { apiKey }),
    num: search.num,
    timeoutMs: search.timeout_s * 1000,
  });
}
