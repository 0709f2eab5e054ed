import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { HubApiError } from '@huggingface/hub';
import { z } from 'zod';
import { printable } from '../../base/printable.ts';
import { UserError } from '../../base/userError.ts';
import { type HubAddress, hubAddressText } from './hubAddress.ts';

/** Hub settings, read from the environment like Hugging Face's own programs do. */
export interface HubSettings {
  /** `HF_ENDPOINT`; default: https://huggingface.co. */
  readonly hubUrl: string;
  /** `HF_TOKEN`, or the token stored by `hf auth login`; undefined for public repositories. */
  readonly accessToken: string | undefined;
  /** `HF_HUB_CACHE`, `HF_HOME/hub` or `~/.cache/huggingface/hub`: shared with Python's libraries. */
  readonly cacheFolder: string;
  /** `HF_HUB_OFFLINE`: use the cache only. */
  readonly isOffline: boolean;
}

export interface HubFile {
  /** Path in the repository, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the content for large files, otherwise Git's SHA-1 of the blob. Also the blob's name in the cache. */
  readonly hash: string;
}

/** Reads {@link HubSettings} from an environment. */
export function hubSettings(env: NodeJS.ProcessEnv): HubSettings {
  const home = env.HF_HOME ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'huggingface');
  return {
    hubUrl: (env.HF_ENDPOINT ?? 'https://huggingface.co').replace(/\/+$/, ''),
    accessToken: env.HF_TOKEN?.trim() || storedToken(env.HF_TOKEN_PATH ?? join(home, 'token')),
    cacheFolder: env.HF_HUB_CACHE ?? join(home, 'hub'),
    isOffline: /^(1|true|yes|on)$/i.test(env.HF_HUB_OFFLINE ?? ''),
  };
}

export class HubClient {
  readonly #settings: HubSettings;
  readonly #signal: AbortSignal;

  constructor(settings: HubSettings, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Common arguments of the library's functions. */
  get access() {
    const { hubUrl, accessToken } = this.#settings;
    return { hubUrl, fetch: this.#fetch, ...(accessToken !== undefined && { accessToken }) };
  }

  /** Current commit of a revision. */
  commitOf({ type, name, revision }: HubAddress): Promise<string> {
    return this.explained({ type, name, revision, path: undefined }, async () => {
      const { datasetInfo, modelInfo } = await import('@huggingface/hub');
      const request = { ...this.access, name, revision };
      const { sha } =
        type === 'dataset'
          ? await datasetInfo({ ...request, additionalFields: ['sha'] })
          : await modelInfo({ ...request, additionalFields: ['sha'] });
      if (!/^[0-9a-f]{40}$/.test(sha)) throw new Error('its commit is not 40 hex digits');
      return sha;
    });
  }

  /** All files of a repository at a commit, in the hub's order. */
  files(address: HubAddress, commit: string): Promise<HubFile[]> {
    return this.explained(address, async () => {
      const { listFiles } = await import('@huggingface/hub');
      const files: HubFile[] = [];
      const repo = { type: address.type, name: address.name };
      for await (const entry of listFiles({ ...this.access, repo, recursive: true, revision: commit })) {
        if (entry?.type !== 'directory') files.push(hubFile(entry));
      }
      return files;
    });
  }

  async content(address: HubAddress, commit: string, { path, bytes }: HubFile): Promise<ReadableStream> {
    // The library requests a range, which an empty file does not have.
    if (bytes === 0) return new Blob([]).stream();
    const { downloadFile } = await import('@huggingface/hub');
    const repo = { type: address.type, name: address.name };
    const blob = await downloadFile({ ...this.access, repo, path, revision: commit });
    if (!blob) throw new UserError(`${hubAddressText({ ...address, path }, commit)}: there is no such file`);
    return blob.stream();
  }

  /** Runs `work`, converting a hub's refusals to a `UserError` with advice. */
  async explained<T>(address: HubAddress, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error instanceof UserError ? error : explainHubError(error, address, this.#settings);
    }
  }

  /** Sends the token to the hub only: its storage uses signed addresses. */
  readonly #fetch: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    if (url.origin !== new URL(this.#settings.hubUrl).origin) headers.delete('authorization');
    return fetch(url, { ...init, headers, signal: this.#signal });
  };
}

function storedToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** True for a relative path without control characters that stays in its folder and outside `.git`. */
function isSafePath(path: string): boolean {
  const isSafePart = (part: string) => !['', '.', '..', '.git'].includes(part.toLowerCase());
  return printable(path) === path && !path.includes('\\') && path.split('/').every(isSafePart);
}

const checksum = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);

/** A listed file in the format of the hub's API. */
const listedFileSchema = z.object({
  path: z
    .string()
    .refine(isSafePath, 'would lie outside of its folder or has characters that no file name needs'),
  size: z.int().nonnegative(),
  oid: checksum.optional(),
  lfs: z.object({ oid: checksum, size: z.int().nonnegative() }).nullish(),
});

/** @throws Error when what a hub lists isn't a file that can be fetched and verified */
function hubFile(entry: unknown): HubFile {
  const parsed = listedFileSchema.safeParse(entry);
  const name = JSON.stringify((entry as { path?: unknown } | null)?.path ?? entry);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`its file ${name}: ${issue!.path.join('.')}: ${issue!.message}`);
  }
  const { path, size, oid, lfs } = parsed.data;
  const hash = lfs?.oid ?? oid;
  if (hash === undefined) throw new Error(`its file ${name} has no checksum`);
  return { path, bytes: lfs?.size ?? size, hash };
}

/** Maximum characters of a hub's message that are shown. */
const MAX_WORDS_LENGTH = 500;

function explainHubError(
  error: unknown,
  address: HubAddress,
  { hubUrl, accessToken }: HubSettings,
): UserError {
  const where = `${hubAddressText(address, address.revision)} at ${hubUrl}`;
  // The library's streams fail with only the message of their error.
  const status =
    error instanceof HubApiError ? error.statusCode : Number(/status (\d{3})/.exec(String(error))?.[1]);
  const say = (text: string) => new UserError(`${where}: ${printable(text)}`, { cause: error });
  if (error instanceof TypeError && error.message.includes('access token'))
    return say("HF_TOKEN is not an access token, which starts with 'hf_'");
  if (status === 401 || status === 403) {
    return say(
      accessToken === undefined
        ? 'not found, or not public; set HF_TOKEN to a token that may read it'
        : 'the token in HF_TOKEN may not do this; ask for access on its page, or use another token',
    );
  }
  if (status === 404)
    return say('there is no such repository, revision or file; models are written hf:models/OWNER/NAME');
  if (status === 429)
    return say('too many requests; wait a few minutes, then run again: what was fetched stays');
  const message = error instanceof Error ? `${error.message} ${causeOf(error)}`.trim() : String(error);
  return say(`${message.slice(0, MAX_WORDS_LENGTH)}; run again, what was fetched stays`);
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? `(${error.cause.message})` : '';
}
