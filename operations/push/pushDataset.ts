import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { parseStored } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import type { HubAddress } from '../../calls/hub/hubAddress.ts';
import { HubClient, type HubSettings } from '../../calls/hub/hubClient.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';

/** What was pushed. */
export interface PushedDataset {
  readonly files: number;
  readonly bytes: number;
  /** Address of the commit. */
  readonly commitUrl: string;
}

/** How a dataset is pushed. */
export interface PushOptions {
  readonly settings: HubSettings;
  readonly signal: AbortSignal;
  /** Of a repository that is made now; one that is there stays as it is. */
  readonly visibility: 'public' | 'private';
}

/** Files of a dataset that its manifest does not list. */
const UNLISTED = ['manifest.json', 'README.md'];

/**
 * Pushes a dataset folder to the hub as one commit: the files of its manifest, each verified first, and its card. A
 * repository that is not there is made.
 *
 * @throws UserError when a file is not what the manifest says, or the hub does not take it
 */
export async function pushDataset(
  folder: string,
  address: HubAddress,
  options: PushOptions,
): Promise<PushedDataset> {
  const { settings, signal, visibility } = options;
  const { accessToken } = settings;
  if (address.path !== undefined || address.type !== 'dataset')
    throw new UserError(
      'expected a dataset repository without a path behind it, for instance hf:my-lab/my-rows',
    );
  if (accessToken === undefined)
    throw new UserError('HF_TOKEN is not set; pushing needs a token that may write');
  const manifest = await verifiedManifest(folder);
  const client = new HubClient(settings, signal);
  return client.explained(address, async () => {
    const { createRepo, uploadFiles } = await import('@huggingface/hub');
    const repo = { type: 'dataset' as const, name: address.name };
    await createRepo({ ...client.access, accessToken, repo, visibility }).catch(unlessThere);
    const paths = [
      ...manifest.files.map(({ path }) => path),
      ...UNLISTED.filter((name) => !manifest.files.some(({ path }) => path === name)),
    ];
    const commit = await uploadFiles({
      ...client.access,
      accessToken,
      repo,
      branch: address.revision,
      abortSignal: signal,
      useXet: false,
      commitTitle: `Add ${manifest.rows} rows made by coa-distill ${manifest.coa_distill_version}`,
      files: paths.map((path) => ({ path, content: pathToFileURL(join(folder, path)) })),
    });
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    return {
      files: paths.length,
      bytes,
      commitUrl: commit?.commit.url ?? `${settings.hubUrl}/datasets/${address.name}`,
    };
  });
}

async function verifiedManifest(folder: string): Promise<Manifest> {
  const path = join(folder, 'manifest.json');
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new UserError(`${path}: there is no dataset; make it with coa-distill run CONFIG`, { cause });
  });
  const manifest = parseStored(manifestSchema, text);
  for (const file of manifest.files) {
    if ((await sha256Of(join(folder, file.path))) !== file.sha256)
      throw new UserError(
        `${join(folder, file.path)} is not what manifest.json says; restore it, or export again with: coa-distill run CONFIG --from export`,
      );
  }
  return manifest;
}

async function sha256Of(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

/** The hub says 409 for a repository that is there. */
function unlessThere(error: unknown): void {
  if ((error as { statusCode?: number }).statusCode !== 409) throw error;
}
