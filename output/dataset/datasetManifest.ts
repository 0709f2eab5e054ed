import { UserError } from '../../base/userError.ts';
import type { Manifest, ManifestFile } from '../../schemas/manifest.ts';
import type { DatasetSettings } from './prepareDataset.ts';

/** What of a manifest the settings alone say. */
type SettingsKeys =
  | 'format_version'
  | 'coa_distill_version'
  | 'config_hash'
  | 'tokenizer'
  | 'system_prompt'
  | 'mask'
  | 'cutoff_len'
  | 'segments_encoded';

/** A dataset's manifest, from what it was written with and what was counted; its keys stand in their usual order. */
export function datasetManifest(
  {
    version,
    configHash,
    tokenizer,
    dataset,
  }: DatasetSettings & {
    readonly version: string;
    readonly configHash: string;
  },
  written: Omit<Manifest, SettingsKeys>,
): Manifest {
  const { chat_template, formats, rollouts, preference, files, ...counts } = written;
  return {
    format_version: 1,
    coa_distill_version: version,
    config_hash: configHash,
    ...counts,
    tokenizer: { name: tokenizer.name, sha256: tokenizer.sha256, encoder: tokenizer.encoder },
    chat_template,
    system_prompt: dataset.system_prompt,
    mask: dataset.mask,
    cutoff_len: dataset.cutoff_len,
    segments_encoded: dataset.straddling === 'apart' ? 'apart' : 'whole',
    formats,
    ...(rollouts && { rollouts }),
    ...(preference && { preference }),
    files,
  };
}

/** @throws UserError when a file that was to stay unchanged would not */
export function refuseChangedFiles(
  { folder, unchanged }: { readonly folder: string; readonly unchanged?: readonly ManifestFile[] },
  { files }: Manifest,
): void {
  const written = new Map(files.map((file) => [file.path, file.sha256]));
  const changed = unchanged?.find((file) => written.get(file.path) !== file.sha256);
  if (changed === undefined) return;
  throw new UserError(
    `${folder}: ${changed.path} would not come out as it is, since the dataset was made by another version of coa-distill or of its inputs; make the whole dataset again with coa-distill run and --from export`,
  );
}
