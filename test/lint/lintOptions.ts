import { createTextLinter } from '../../output/lint/createTextLinter.ts';
import type { LintOptions } from '../../output/lint/lintRows.ts';
import { idDecoder } from '../../output/tokenizers/decodeIds.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { qwen } from '../output/support/qwen.ts';

/** What rows are linted with where the user says nothing. */
export const lintOptions: LintOptions = {
  lintText: await createTextLinter(qwen),
  decode: idDecoder(qwen),
  profiles: Object.values(builtinProfiles),
  profile: undefined,
};
