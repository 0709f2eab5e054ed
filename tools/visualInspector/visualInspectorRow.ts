import { realpath, stat } from 'node:fs/promises';
import { contentId } from '../../base/ids.ts';
import { UserError } from '../../base/userError.ts';
import { parseAllowedHost } from '../../schemas/config/tools/allowedHost.ts';
import type { VisualInspectorConfig } from '../../schemas/config/tools/visualInspector.ts';
import { MOST_CAPPED_PIXELS } from '../../schemas/shownImages.ts';
import { sectionRow, type ToolContext } from '../toolRow.ts';
import { inspectionPrompts } from './inspectionPrompt.ts';

/** Maximum image size. */
const MAX_IMAGE_BYTES = 10_000_000;
/** Timeout of fetching an image; the model has its own. */
const FETCH_TIMEOUT_MS = 30_000;

export const visualInspectorRow = sectionRow('visual_inspector', {
  seesSite: true,
  fingerprint: (inspector) => ({ ...inspector, prompts: contentId('config', inspectionPrompts) }),
  async open(inspector, context) {
    const { createVisualInspector } = await import('./createVisualInspector.ts');
    return createVisualInspector({
      model: await context.models.chatModel('visual_inspector.model'),
      folder: await imageFolder(inspector),
      web: await imageWeb(inspector, context),
      maxBytes: MAX_IMAGE_BYTES,
      formats: inspector.formats,
      animations: inspector.animations,
      maxPixels: MOST_CAPPED_PIXELS,
      maxChars: inspector.max_chars,
    });
  },
});

async function imageFolder({ folder }: VisualInspectorConfig) {
  if (folder === undefined) return undefined;
  const path = await realpath(folder);
  if ((await stat(path)).isDirectory()) return { path, maxBytes: MAX_IMAGE_BYTES };
  throw new UserError(`tools.visual_inspector.folder: expected a folder of images, got the file ${folder}`);
}

async function imageWeb(inspector: VisualInspectorConfig, { openSite, resources }: ToolContext) {
  if (!inspector.allow_urls) return undefined;
  const { createGuardedDispatcher } = await import('../fetch/createGuardedDispatcher.ts');
  const { createAllowedHosts } = await import('../fetch/allowedHosts.ts');
  const site = await openSite();
  const own = site ? [[site.host, { address: site.server.address, port: site.server.port }] as const] : [];
  const allowed = createAllowedHosts(inspector.allow_hosts.map((entry) => parseAllowedHost(entry)!));
  const dispatcher = createGuardedDispatcher(new Map(own), undefined, allowed);
  resources.keep({ close: () => dispatcher.destroy() });
  return {
    dispatcher,
    limits: { timeoutMs: FETCH_TIMEOUT_MS, maxBytes: MAX_IMAGE_BYTES },
    ownHosts: new Set(own.map(([host]) => host)),
  };
}
