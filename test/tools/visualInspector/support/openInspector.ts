import { toolModelsWithoutRun } from '../../../../pipeline/compose/toolsWithoutRun.ts';
import { createSession } from '../../../../pipeline/createSession.ts';
import { teacherConfigSchema } from '../../../../schemas/config/teacher.ts';
import { imageFormatSchema } from '../../../../schemas/config/tools/visualInspector.ts';
import { toolsConfigSchema } from '../../../../schemas/config/tools.ts';
import { createGuardedDispatcher } from '../../../../tools/fetch/createGuardedDispatcher.ts';
import {
  createVisualInspector,
  type VisualInspectorOptions,
} from '../../../../tools/visualInspector/createVisualInspector.ts';
import type { HttpServer } from '../../support/startHttpServer.ts';
import { startVisionServer, type VisionReply, type VisionRequest } from './startVisionServer.ts';

/** What an inspector is opened with beside its model. */
export interface OpenInspectorOptions extends Omit<Partial<VisualInspectorOptions>, 'model'> {
  /** What the model says. */
  readonly reply?: (request: VisionRequest) => VisionReply;
  /** Server of the pages of `images.example`. */
  readonly site?: HttpServer;
  /** Of the model's section. */
  readonly model_config?: object;
}

/** A host whose images a test's own server has. */
export const siteHost = 'images.example';

/**
 * The inspector with a model behind the real client; 10,000 bytes, a million pixels and 500 characters at most. `see`
 * gives the observation of one call, as an agent's input goes through the tool's own check.
 */
export async function openInspector({ reply, site, model_config, ...own }: OpenInspectorOptions = {}) {
  const { baseUrl, requests } = await startVisionServer(reply);
  const endpoint = { base_url: baseUrl, api_key_env: 'VISION_KEY', max_retries: 0 };
  const tools = toolsConfigSchema.parse({
    visual_inspector: { model: { model: 'eyes', endpoint, ...model_config } },
  });
  const config = { tools, teacher: teacherConfigSchema.parse({}) };
  const models = toolModelsWithoutRun(config, createSession({ env: { VISION_KEY: 'vision-secret' } }));
  const limits = { timeoutMs: 5_000, maxBytes: 10_000 };
  const overrides = site ? [[siteHost, { address: site.address, port: site.port }] as const] : [];
  const tool = createVisualInspector({
    model: await models.chatModel('visual_inspector.model'),
    folder: undefined,
    web: { dispatcher: createGuardedDispatcher(new Map(overrides)), limits, ownHosts: new Set([siteHost]) },
    maxBytes: 10_000,
    formats: imageFormatSchema.options,
    animations: true,
    maxPixels: 1e6,
    maxChars: 500,
    ...own,
  });
  const see = async (file_path: string, more: object = {}) => {
    const parsed = tool.parseInput({ file_path, ...more });
    if (!parsed.ok) throw new Error(parsed.error);
    return (await tool.call(parsed.input, new AbortController().signal)).observation;
  };
  return { tool, see, requests };
}
