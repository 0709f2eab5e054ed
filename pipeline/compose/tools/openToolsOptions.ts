import type { Config } from '../../../schemas/config/config.ts';
import type { Sandbox } from '../../contract/sandbox.ts';

/** What tools are opened with. */
export interface OpenToolsOptions {
  readonly config: Pick<Config, 'tools'>;
  /** Names of the tools to open; others stay closed. */
  readonly wanted: ReadonlySet<string>;
  /** Where search indexes are kept; they can be rebuilt. */
  readonly cacheFolder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Must be there when `code` is wanted. */
  readonly sandbox: Sandbox | undefined;
  /** Services are not asked, so they need no key. */
  readonly offline: boolean;
}
