import { join } from 'node:path';
import { UserError } from '../../base/userError.ts';
import type { AuditSettings } from '../../output/audit/expectation/auditSettings.ts';
import type { DatasetParts } from '../../output/audit/read/datasetParts.ts';
import { openTokenText } from '../../output/audit/tokenText.ts';
import { profilesOfRun, readProfiles } from '../../pipeline/config/declaredProfiles.ts';
import { configOfRun } from '../../pipeline/config/parseConfig.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { BUNDLED_TOKENIZER, maskConfigSchema } from '../../schemas/config/dataset.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';

/**
 * How a dataset is to be audited: by its own manifest where it has one, and with the profiles of the run that it lies in.
 *
 * @param tokenizer name or path; undefined: that of the run, or of the manifest
 * @param observationTag the tag of tools' outputs in other people's rows
 * @throws UserError when it is not the tokenizer that the dataset was made with, or the dataset itself tells the tag
 */
export async function auditSettingsOf(
  { own }: DatasetParts,
  tokenizer: string | undefined,
  observationTag?: string,
): Promise<AuditSettings> {
  if (own && observationTag !== undefined) {
    throw new UserError(
      `--observation-tag ${observationTag}: ${own.folder} is a dataset of coa-distill, whose trajectories say what tools wrote; leave the option out`,
    );
  }
  const run = own && (await readRunFile(join(own.folder, '..')));
  const { name, namedBy } = namedTokenizer(tokenizer, run, own);
  const tokenText = await openTokenText(name, namedBy);
  if (own && tokenText.sha256 !== own.manifest.tokenizer.sha256) {
    throw new UserError(
      `${namedBy}: its SHA-256 is ${tokenText.sha256}, the dataset was made with ${own.manifest.tokenizer.name} of ${own.manifest.tokenizer.sha256}; give the path of that tokenizer.json with --tokenizer`,
    );
  }
  const { profileOf } = run ? profilesOfRun(run.config) : await readProfiles(undefined);
  return {
    tokenText,
    mask: own?.manifest.mask ?? maskConfigSchema.parse({}),
    cutoffLen: own?.manifest.cutoff_len ?? null,
    mayBeCut: (own?.manifest.cut_rows ?? 0) > 0,
    encodedApart: own?.manifest.segments_encoded === 'apart',
    own: own !== undefined,
    observationTag,
    profileOf,
  };
}

/** The tokenizer to encode with, and what names it: the first of the option, the run and the manifest. */
function namedTokenizer(
  option: string | undefined,
  run: RunFile | undefined,
  own: DatasetParts['own'],
): { readonly name: string; readonly namedBy: string } {
  const named = (name: string, by: string) => ({ name, namedBy: `${by} ${name}` });
  if (option !== undefined) return named(option, '--tokenizer');
  if (run) return named(configOfRun(run).dataset.tokenizer, `run.json of ${run.name}: dataset.tokenizer`);
  return named(own?.manifest.tokenizer.name ?? BUNDLED_TOKENIZER, "the dataset's tokenizer");
}
