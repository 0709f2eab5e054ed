import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserError } from '../../base/userError.ts';
import type { HubAddress } from '../../calls/hub/hubAddress.ts';
import { HubClient, type HubSettings } from '../../calls/hub/hubClient.ts';
import { verifyDataset } from '../../output/check/datasetFiles.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import type { Manifest } from '../../schemas/manifest.ts';

interface PushedDataset {
  readonly files: number;
  readonly bytes: number;
  readonly commitUrl: string;
}

interface PushOptions {
  readonly settings: HubSettings;
  readonly signal: AbortSignal;
  /** Visibility of a new repository; an existing one is unchanged. */
  readonly visibility: 'public' | 'private';
}

/**
 * Pushes a run's dataset to the hub as one commit: the verified files of its manifest, and its card. Creates the
 * repository if needed.
 *
 * @throws UserError if a file differs from the manifest, or the hub rejects it
 */
export async function pushDataset(
  runFolder: string,
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
  const manifest = await verifiedManifest(runFolder);
  const client = new HubClient(settings, signal);
  return client.explained(address, async () => {
    const { createRepo, uploadFiles } = await import('@huggingface/hub');
    const repo = { type: 'dataset' as const, name: address.name };
    await createRepo({ ...client.access, accessToken, repo, visibility }).catch(unlessThere);
    const paths = ['manifest.json', ...manifest.files.map(({ path }) => path)];
    const commit = await uploadFiles({
      ...client.access,
      accessToken,
      repo,
      branch: address.revision,
      abortSignal: signal,
      useXet: false,
      commitTitle: `Add ${manifest.rows} rows made by coa-distill ${manifest.coa_distill_version}`,
      files: paths.map((path) => ({ path, content: pathToFileURL(join(runFolder, 'dataset', path)) })),
    });
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
    return {
      files: paths.length,
      bytes,
      commitUrl: commit?.commit.url ?? `${settings.hubUrl}/datasets/${address.name}`,
    };
  });
}

async function verifiedManifest(runFolder: string): Promise<Manifest> {
  const manifest = await readManifest(runFolder);
  if (!manifest) throw new UserError(`${runFolder} has no dataset; make it with coa-distill run`);
  await verifyDataset(join(runFolder, 'dataset'), manifest);
  return manifest;
}

/** Ignores status 409, the hub's response for an existing repository. */
function unlessThere(error: unknown): void {
  if ((error as { statusCode?: number }).statusCode !== 409) throw error;
}
