import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noAnswerCache } from '../../calls/sessionCalls.ts';
import type { Session } from '../../contract/session.ts';
import type { Tool, ToolModels } from '../../contract/tool.ts';
import type { ToolModelsConfig } from '../../schemas/config/resolved/toolModels.ts';
import { lazySandbox } from './lazySandbox.ts';
import { createModelOpener } from './openModels.ts';
import { openToolModels } from './openToolModels.ts';
import { type OpenToolsOptions, openTools } from './openTools.ts';

interface ToolsWithoutRun {
  readonly config: ToolModelsConfig;
  readonly wanted: ReadonlySet<string>;
}

/** Opens tools for calls outside of a run: no cache and no code. */
export function toolsWithoutRun({ config, wanted }: ToolsWithoutRun, session: Session): OpenToolsOptions {
  return {
    config,
    wanted,
    cacheFolder: join(tmpdir(), 'coa-distill-cache'),
    sandbox: undefined,
    models: toolModelsWithoutRun(config, session),
  };
}

export function openToolsWithoutRun(
  tools: ToolsWithoutRun,
  session: Session,
): Promise<ReadonlyMap<string, Tool>> {
  const sandbox = lazySandbox(tools.config.tools.code, session);
  return openTools({ ...toolsWithoutRun(tools, session), sandbox }, session);
}

/** Models of tools that are called outside of a run: rate limited, not cached. */
export function toolModelsWithoutRun(config: ToolModelsConfig, session: Session): ToolModels {
  return openToolModels({ config, open: createModelOpener(session, noAnswerCache) }, session);
}
