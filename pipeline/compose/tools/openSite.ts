import type { SiteServer } from '../../../tools/site/startSiteServer.ts';
import type { Resources } from '../resources.ts';
import type { OpenToolsOptions } from './openToolsOptions.ts';

/** The bundled site where one is configured, once it serves its pages. */
export type OpenedSite = { readonly host: string; readonly server: SiteServer } | undefined;

/** Starts the server of the bundled site; undefined without one. */
export async function openSite(
  { config }: Pick<OpenToolsOptions, 'config'>,
  resources: Resources,
): Promise<OpenedSite> {
  const { site } = config.tools;
  if (!site) return undefined;
  const { startSiteServer } = await import('../../../tools/site/startSiteServer.ts');
  const server = resources.keep(await startSiteServer({ folder: site.folder, host: site.host }));
  return { host: site.host, server };
}
